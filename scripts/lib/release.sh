# Sourced by the scripts: each release names its own commit here.
last_release=25268735  # 0.2.0
