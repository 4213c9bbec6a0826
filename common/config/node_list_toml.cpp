#include <array>
#include <set>
#include <string>

#include "common/base/ids.hpp"
#include "common/config/spec_toml.hpp"
#include "common/config/toml_fields.hpp"

namespace muster {

namespace {

constexpr std::array<std::string_view, 2> listed_node_keys{"name", "pool"};
constexpr std::array<std::string_view, 1> node_file_keys{"node"};

ListedNode read_listed_node(TomlFields& fields, const toml::table& table) {
    ListedNode node;
    const std::size_t faults_before = fields.fault_count();
    fields.known_keys(table, listed_node_keys, "[[node]]");
    fields.text(table.get("name"), "name", node.name);
    fields.text(table.get("pool"), "pool", node.pool);
    for (const auto& [key, name] : {std::pair{"name", &node.name}, {"pool", &node.pool}}) {
        const bool is_read = fields.fault_count() == faults_before;
        if (is_read && !is_valid_name(*name) && (name == &node.name || table.contains(key))) {
            fields.fail_at(table.source(), std::string{key} + " is " + in_quotes(*name) + "; " +
                                               std::string{name_rule()});
        }
    }
    return node;
}

std::vector<ListedNode> read_node_list(TomlFields& fields, const toml::table& root) {
    fields.known_keys(root, node_file_keys, "the file");
    std::vector<ListedNode> nodes;
    const auto* const listed = root.get("node");
    const auto* const array = listed == nullptr ? nullptr : listed->as_array();
    if (array == nullptr) {
        fields.fail_at(listed == nullptr ? root.source() : listed->source(),
                       "there is no list of nodes; begin each node with [[node]]");
        return nodes;
    }
    std::set<std::string> named;
    for (const auto& element : *array) {
        const auto* const table = element.as_table();
        if (table == nullptr) {
            fields.fail_at(element.source(),
                           "node holds something else than a table; begin each "
                           "node with [[node]]");
            return nodes;
        }
        nodes.push_back(read_listed_node(fields, *table));
        if (!named.insert(nodes.back().name).second && !nodes.back().name.empty()) {
            fields.fail_at(table->source(),
                           "node '" + nodes.back().name + "' is given twice; name it once");
        }
    }
    return nodes;
}

}  // namespace

Result<std::vector<ListedNode>> nodes_from_toml(std::string_view text, std::string_view file) {
    return read_toml(text, file, read_node_list);
}

}  // namespace muster
