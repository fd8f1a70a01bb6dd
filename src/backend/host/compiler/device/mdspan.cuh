// cuda::std::mdspan, which few libraries of compilers have yet.
#ifndef TNI_MDSPAN
#define TNI_MDSPAN
namespace cuda {
namespace std {
inline constexpr size_t dynamic_extent = (size_t)-1;

template <typename I, size_t count> struct tni_numbers { I of[count]; };
template <typename I> struct tni_numbers<I, 0> { static constexpr I of[1] = {}; };

// The lengths of the axes, of which those that the type says take no memory.
template <typename I, size_t... lengths> struct extents {
    typedef I index_type;
    typedef size_t size_type, rank_type;
    [[no_unique_address]] tni_numbers<I, (0 + ... + (lengths == dynamic_extent))> dynamic;

    constexpr extents() = default;
    template <typename... G, typename = decltype((0 + ... + (I)G()))>
    constexpr extents(G... given) {
        const I all[] = {(I)given..., 0};
        for (size_t axis = 0; axis < rank() && rank_dynamic() > 0; axis++)
            if (sizeof...(G) == rank() && static_extent(axis) == dynamic_extent)
                set(place(axis), all[axis]);
        for (size_t k = 0; k < rank_dynamic() && sizeof...(G) != rank(); k++) set(k, all[k]);
    }
    static constexpr size_t rank() { return sizeof...(lengths); }
    static constexpr size_t rank_dynamic() { return (0 + ... + (lengths == dynamic_extent)); }
    static constexpr size_t static_extent(size_t axis) {
        const size_t all[] = {lengths..., 0};
        return all[axis];
    }
    constexpr I extent(size_t axis) const {
        size_t known = static_extent(axis);
        return known == dynamic_extent ? dynamic.of[place(axis)] : (I)known;
    }

  private:
    static constexpr size_t place(size_t axis) {
        size_t before = 0;
        for (size_t k = 0; k < axis; k++) before += static_extent(k) == dynamic_extent;
        return before;
    }
    constexpr void set(size_t place, I length) {
        if constexpr ((0 + ... + (lengths == dynamic_extent)) > 0) dynamic.of[place] = length;
    }
};

template <typename I, size_t rank, size_t... lengths>
struct tni_dextents : tni_dextents<I, rank - 1, dynamic_extent, lengths...> {};
template <typename I, size_t... lengths> struct tni_dextents<I, 0, lengths...> {
    typedef extents<I, lengths...> type;
};
template <typename I, size_t rank> using dextents = typename tni_dextents<I, rank>::type;

template <typename E, bool is_right> struct tni_dense {
    typedef E extents_type;
    typedef typename E::index_type index_type;
    [[no_unique_address]] E lengths;

    constexpr tni_dense() = default;
    constexpr tni_dense(const E &given) : lengths(given) {}
    constexpr const E &extents() const { return lengths; }
    constexpr index_type stride(size_t axis) const {
        index_type product = 1;
        for (size_t k = 0; k < E::rank(); k++)
            if (is_right ? k > axis : k < axis) product *= lengths.extent(k);
        return product;
    }
    constexpr index_type required_span_size() const {
        index_type product = 1;
        for (size_t k = 0; k < E::rank(); k++) product *= lengths.extent(k);
        return product;
    }
};

struct layout_right {
    template <typename E> struct mapping : tni_dense<E, true> {
        typedef layout_right layout_type;
        using tni_dense<E, true>::tni_dense;
    };
};

struct layout_left {
    template <typename E> struct mapping : tni_dense<E, false> {
        typedef layout_left layout_type;
        using tni_dense<E, false>::tni_dense;
    };
};

struct layout_stride {
    template <typename E> struct mapping {
        typedef E extents_type;
        typedef typename E::index_type index_type;
        typedef layout_stride layout_type;
        [[no_unique_address]] E lengths;
        [[no_unique_address]] tni_numbers<index_type, E::rank()> steps;

        constexpr mapping() = default;
        template <typename A> constexpr mapping(const E &given, const A &strides) : lengths(given) {
            if constexpr (E::rank() > 0)
                for (size_t axis = 0; axis < E::rank(); axis++)
                    steps.of[axis] = (index_type)strides[axis];
        }
        constexpr const E &extents() const { return lengths; }
        constexpr index_type stride(size_t axis) const { return steps.of[axis]; }
        constexpr index_type required_span_size() const {
            index_type last = 0;
            for (size_t axis = 0; axis < E::rank(); axis++) {
                if (lengths.extent(axis) == 0) return 0;
                last += (lengths.extent(axis) - 1) * stride(axis);
            }
            return last + 1;
        }
    };
};

template <typename T> struct default_accessor {
    typedef T element_type;
    typedef T &reference;
    typedef T *data_handle_type;
};

template <typename T> struct tni_plain { typedef T type; };
template <typename T> struct tni_plain<const T> { typedef T type; };

template <typename T, typename E, typename L = layout_right, typename A = default_accessor<T>>
struct mdspan {
    typedef E extents_type;
    typedef L layout_type;
    typedef A accessor_type;
    typedef typename L::template mapping<E> mapping_type;
    typedef T element_type;
    typedef typename tni_plain<T>::type value_type;
    typedef typename E::index_type index_type;
    typedef size_t size_type, rank_type;
    typedef T *data_handle_type;
    typedef T &reference;
    T *first;
    [[no_unique_address]] mapping_type map;

    constexpr mdspan() = default;
    constexpr mdspan(T *data, const mapping_type &given) : first(data), map(given) {}
    constexpr mdspan(T *data, const E &lengths) : first(data), map(lengths) {}
    template <typename... G, typename = decltype((0 + ... + (index_type)G()))>
    constexpr explicit mdspan(T *data, G... lengths) : first(data), map(E(lengths...)) {}

    template <typename... I> constexpr T &operator()(I... at) const {
        static_assert(sizeof...(I) == E::rank(), "an mdspan takes an index for each axis");
        const index_type all[] = {(index_type)at..., 0};
        index_type place = 0;
        for (size_t axis = 0; axis < E::rank(); axis++) place += all[axis] * map.stride(axis);
        return first[place];
    }
#ifdef __cpp_multidimensional_subscript
    template <typename... I> constexpr T &operator[](I... at) const {
        return (*this)(at...);
    }
#else
    template <typename I> constexpr T &operator[](I at) const {
        return (*this)(at);
    }
#endif
    static constexpr size_t rank() {
        return E::rank();
    }
    static constexpr size_t rank_dynamic() {
        return E::rank_dynamic();
    }
    static constexpr size_t static_extent(size_t axis) {
        return E::static_extent(axis);
    }
    constexpr index_type extent(size_t axis) const {
        return map.lengths.extent(axis);
    }
    constexpr index_type stride(size_t axis) const {
        return map.stride(axis);
    }
    constexpr size_t size() const {
        size_t product = 1;
        for (size_t axis = 0; axis < rank(); axis++) product *= (size_t)extent(axis);
        return product;
    }
    constexpr bool empty() const {
        return size() == 0;
    }
    constexpr const E &extents() const {
        return map.lengths;
    }
    constexpr const mapping_type &mapping() const {
        return map;
    }
    constexpr T *data_handle() const {
        return first;
    }
};
} // namespace std
} // namespace cuda
#endif
