#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>

#include "common/base/ensure.hpp"
#include "common/codec/shapes/shape.hpp"

namespace muster::codec {

/// One field of a struct, and what a form of messages does with a value of its type.
template <class Form, class Pointer>
struct Field {
    std::string_view name;
    Rule rule;
    Pointer value;
    void (*use)(Form& form, const Field& field);
};

/// The fields of one struct. A form has one loop over such a list, so that the many structs that
/// are seldom sent cost little code. `Pointer` is `const void*` for a form that is written, or
/// `void*`.
///
/// `Form` has a function `template <class T> static void use(Form&, const Field&)`.
template <class Form, class Pointer>
class FieldList {
public:
    using Field = codec::Field<Form, Pointer>;

    explicit FieldList(auto& message) {  // NOLINT(*-member-init): elements are made when added.
        fields(*this, message);
    }
    ~FieldList() {}  // NOLINT(modernize-use-equals-default): that of the union would be deleted.
    FieldList(const FieldList&) = delete;
    FieldList& operator=(const FieldList&) = delete;

    template <class T>
    void operator()(std::string_view name, T& member, Rule rule) {
        add({name, rule, &member, &Form::template use<std::remove_const_t<T>>});
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] const Field* begin() const { return all_.data(); }
    [[nodiscard]] const Field* end() const { return all_.data() + size_; }
    [[nodiscard]] const Field& operator[](std::size_t at) const { return all_[at]; }

private:
    [[gnu::noinline]] void add(const Field& field) {
        ensure(size_ < all_.size(), "no struct has so many fields");
        std::construct_at(&all_[size_++], field);
    }

    union {
        // NOLINTNEXTLINE(readability-identifier-naming): private, though a member of a union is not
        std::array<Field, 64> all_;
    };
    std::size_t size_ = 0;
};

}  // namespace muster::codec
