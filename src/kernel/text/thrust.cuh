// tenorite.jit.thrust: algorithms that one thread runs, one element after the other.
//
// An iterator has elements under numbers (`first[i]`), can go on (`first + n`), and tells how many
// elements lie between two. Sorts are stable and take no memory: pieces sorted by insertion, merged
// by rotations.
#ifndef TNI_THRUST
#define TNI_THRUST
#include <tenorite/jit.cuh>

namespace tni_thrust {
typedef ptrdiff_t count_t;
struct seq {};

// Stands for values where there are none.
struct nothing {
    __device__ nothing operator[](count_t) const { return {}; }
    __device__ nothing operator+(count_t) const { return {}; }
};
// start, start + step, start + 2 step, ...
template <class T> struct counting {
    T start, step;
    count_t at;
    __device__ T operator[](count_t i) const { return (T)(start + step * (T)(at + i)); }
    __device__ counting operator+(count_t i) const { return {start, step, at + i}; }
    __device__ counting operator-(count_t i) const { return {start, step, at - i}; }
    __device__ count_t operator-(const counting &other) const { return at - other.at; }
    __device__ bool operator==(const counting &other) const { return at == other.at; }
    __device__ bool operator!=(const counting &other) const { return at != other.at; }
};
template <class T> __device__ inline counting<T> make_counting_iterator(T start, T step = T(1)) {
    return {start, step, 0};
}
template <class T> __device__ inline counting<T> make_constant_iterator(T value) {
    return {value, T(0), 0};
}
template <class A, class B> __device__ inline tni_tuple<A, B> pair(const A &a, const B &b) {
    return {a, {b, {}}};
}

// --- Searches ---
template <class T> __device__ inline bool before(T a, T b) {
    return tni_less(a, b);
}
template <class I, class T> __device__ inline count_t lower(const I &x, count_t n, const T &value) {
    count_t low = 0;
    while (low < n) {
        count_t middle = low + (n - low) / 2;
        if (before<decltype(x[0] + value)>(x[middle], value))
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}
template <class I, class T> __device__ inline count_t upper(const I &x, count_t n, const T &value) {
    count_t low = 0;
    while (low < n) {
        count_t middle = low + (n - low) / 2;
        if (before<decltype(x[0] + value)>(value, x[middle]))
            n = middle;
        else
            low = middle + 1;
    }
    return low;
}
template <class I, class T> __device__ inline bool has(const I &x, count_t n, const T &value) {
    count_t at = lower(x, n, value);
    return at < n && !before<decltype(x[0] + value)>(value, x[at]);
}
template <class I, class T> __device__ inline I lower_bound(seq, I first, I last, T value) {
    return first + lower(first, last - first, value);
}
template <class I, class T> __device__ inline I upper_bound(seq, I first, I last, T value) {
    return first + upper(first, last - first, value);
}
template <class I, class T> __device__ inline bool binary_search(seq, I first, I last, T value) {
    return has(first, last - first, value);
}
#define TNI_SEARCHES(name, find)                                                                   \
    template <class I, class J, class O>                                                           \
    __device__ inline O name(seq, I first, I last, J values, J values_last, O result) {            \
        count_t n = values_last - values;                                                          \
        for (count_t i = 0; i < n; i++) result[i] = find(first, last - first, values[i]);          \
        return result + n;                                                                         \
    }
TNI_SEARCHES(lower_bound, lower)
TNI_SEARCHES(upper_bound, upper)
TNI_SEARCHES(binary_search, has)
#undef TNI_SEARCHES
template <class I, class T>
__device__ inline tni_tuple<I, I> equal_range(seq, I first, I last, T value) {
    return pair(first + lower(first, last - first, value),
                first + upper(first, last - first, value));
}
template <class I, class T> __device__ inline I find(seq, I first, I last, T value) {
    count_t n = last - first, i = 0;
    while (i < n && !(first[i] == value)) i++;
    return first + i;
}
template <class I, class T> __device__ inline int64 count(seq, I first, I last, T value) {
    count_t n = last - first, found = 0;
    for (count_t i = 0; i < n; i++) found += first[i] == value;
    return found;
}
template <class I, class J> __device__ inline count_t differ(I first, count_t n, J other) {
    count_t i = 0;
    while (i < n && first[i] == other[i]) i++;
    return i;
}
template <class I, class J> __device__ inline bool equal(seq, I first, I last, J other) {
    return differ(first, last - first, other) == last - first;
}
template <class I, class J>
__device__ inline tni_tuple<I, J> mismatch(seq, I first, I last, J other) {
    count_t at = differ(first, last - first, other);
    return pair(first + at, other + at);
}
template <class I> __device__ inline I is_sorted_until(seq, I first, I last) {
    count_t n = last - first, i = n > 0;
    while (i < n && !tni_less(first[i], first[i - 1])) i++;
    return first + i;
}
template <class I> __device__ inline bool is_sorted(seq, I first, I last) {
    return is_sorted_until(seq(), first, last) - first == last - first;
}

// --- Copies ---
template <class I, class O> __device__ inline O copy(seq, I first, I last, O result) {
    count_t n = last - first;
    for (count_t i = 0; i < n; i++) result[i] = first[i];
    return result + n;
}
template <class I, class T> __device__ inline void fill(seq, I first, I last, T value) {
    count_t n = last - first;
    for (count_t i = 0; i < n; i++) first[i] = value;
}
template <class I, class T, class S>
__device__ inline void sequence(seq, I first, I last, T start, S step) {
    count_t n = last - first;
    for (count_t i = 0; i < n; i++) first[i] = start + step * (S)i;
}
template <class I, class T> __device__ inline void sequence(seq, I first, I last, T start) {
    sequence(seq(), first, last, start, T(1));
}
template <class I> __device__ inline void sequence(seq, I first, I last) {
    sequence(seq(), first, last, 0, 1);
}
template <class M, class I, class O>
__device__ inline O gather(seq, M map, M map_last, I input, O result) {
    count_t n = map_last - map;
    for (count_t i = 0; i < n; i++) result[i] = input[(count_t)map[i]];
    return result + n;
}
template <class I, class M, class O>
__device__ inline void scatter(seq, I first, I last, M map, O result) {
    count_t n = last - first;
    for (count_t i = 0; i < n; i++) result[(count_t)map[i]] = first[i];
}
template <class I, class O, class T>
__device__ inline O remove_copy(seq, I first, I last, O result, T value) {
    count_t n = last - first, kept = 0;
    for (count_t i = 0; i < n; i++)
        if (!(first[i] == value)) {
            result[kept] = first[i];
            kept++;
        }
    return result + kept;
}
template <class I, class T> __device__ inline I remove(seq, I first, I last, T value) {
    return remove_copy(seq(), first, last, first, value);
}
template <class I, class O, class T, class N>
__device__ inline O replace_copy(seq, I first, I last, O result, T old_value, N new_value) {
    count_t n = last - first;
    for (count_t i = 0; i < n; i++) {
        if (first[i] == old_value)
            result[i] = new_value;
        else
            result[i] = first[i];
    }
    return result + n;
}
template <class I, class T, class N>
__device__ inline void replace(seq, I first, I last, T old_value, N new_value) {
    replace_copy(seq(), first, last, first, old_value, new_value);
}
template <class I> __device__ inline void exchange(I a, count_t i, I b, count_t j) {
    auto kept = a[i];
    a[i] = b[j];
    b[j] = kept;
}
template <class I> __device__ inline void reverse(seq, I first, I last) {
    for (count_t i = 0, j = last - first - 1; i < j; i++, j--) exchange(first, i, first, j);
}
template <class I, class O> __device__ inline O reverse_copy(seq, I first, I last, O result) {
    count_t n = last - first;
    for (count_t i = 0; i < n; i++) result[i] = first[n - 1 - i];
    return result + n;
}
template <class I, class J> __device__ inline J swap_ranges(seq, I first, I last, J other) {
    count_t n = last - first;
    for (count_t i = 0; i < n; i++) {
        auto kept = first[i];
        first[i] = other[i];
        other[i] = kept;
    }
    return other + n;
}
template <class K, class V>
__device__ inline tni_tuple<K, V> unique_by_key(seq, K first, K last, V values) {
    count_t n = last - first, kept = 0;
    for (count_t i = 0; i < n; i++)
        if (i == 0 || !(first[i] == first[kept - 1])) {
            first[kept] = first[i];
            values[kept] = values[i];
            kept++;
        }
    return pair(first + kept, values + kept);
}
template <class I> __device__ inline I unique(seq, I first, I last) {
    return unique_by_key(seq(), first, last, nothing()).first;
}

// --- Sums ---
template <class I, class T> __device__ inline T reduce(seq, I first, I last, T sum) {
    count_t n = last - first;
    for (count_t i = 0; i < n; i++) sum = (T)(sum + first[i]);
    return sum;
}
template <class I> __device__ inline auto reduce(seq, I first, I last) {
    auto sum = first[0];
    sum = decltype(sum)(0);
    return reduce(seq(), first, last, sum);
}
template <class I, class J, class T>
__device__ inline T inner_product(seq, I first, I last, J other, T sum) {
    count_t n = last - first;
    for (count_t i = 0; i < n; i++) sum = (T)(sum + first[i] * other[i]);
    return sum;
}
template <class K, class V, class L, class W>
__device__ inline tni_tuple<L, W> reduce_by_key(seq, K keys, K last, V values, L keys_out,
                                                W values_out) {
    count_t n = last - keys, made = 0;
    for (count_t i = 0; i < n; made++) {
        auto key = keys[i];
        auto sum = values[i];
        for (i++; i < n && keys[i] == key; i++) sum = sum + values[i];
        keys_out[made] = key;
        values_out[made] = sum;
    }
    return pair(keys_out + made, values_out + made);
}
template <class I, class O>
__device__ inline O adjacent_difference(seq, I first, I last, O result) {
    count_t n = last - first;
    if (n < 1) return result;
    auto before = first[0];
    result[0] = before;
    for (count_t i = 1; i < n; i++) {
        auto now = first[i];
        result[i] = now - before;
        before = now;
    }
    return result + n;
}
struct one_key {
    __device__ int operator[](count_t) const { return 0; }
};
// Sums within runs of equal keys: with what an element adds, or without it.
template <bool is_inclusive, class K, class V, class O, class T>
__device__ inline O scan(K keys, count_t n, V values, O result, T start) {
    T sum = start;
    if (n < 1) return result;
    auto key = keys[0];
    for (count_t i = 0; i < n; i++) {
        auto own = keys[i];
        if (!(own == key)) sum = start;
        key = own;
        T next = (T)(sum + values[i]);
        result[i] = is_inclusive ? next : sum;
        sum = next;
    }
    return result + n;
}
#define TNI_ZERO(values) decltype(values[0] + values[0])(0)
template <class I, class O> __device__ inline O inclusive_scan(seq, I first, I last, O result) {
    return scan<true>(one_key(), last - first, first, result, TNI_ZERO(first));
}
template <class I, class O> __device__ inline O exclusive_scan(seq, I first, I last, O result) {
    return scan<false>(one_key(), last - first, first, result, TNI_ZERO(first));
}
template <class I, class O, class T>
__device__ inline O exclusive_scan(seq, I first, I last, O result, T start) {
    return scan<false>(one_key(), last - first, first, result, start);
}
template <class K, class V, class O>
__device__ inline O inclusive_scan_by_key(seq, K keys, K last, V values, O result) {
    return scan<true>(keys, last - keys, values, result, TNI_ZERO(values));
}
template <class K, class V, class O>
__device__ inline O exclusive_scan_by_key(seq, K keys, K last, V values, O result) {
    return scan<false>(keys, last - keys, values, result, TNI_ZERO(values));
}
template <class K, class V, class O, class T>
__device__ inline O exclusive_scan_by_key(seq, K keys, K last, V values, O result, T start) {
    return scan<false>(keys, last - keys, values, result, start);
}
#undef TNI_ZERO

// --- Sets: what the first has alone, both have, the second has alone ---
template <bool first, bool both, bool second, class I, class J, class V, class W, class O, class P>
__device__ inline tni_tuple<O, P> merge(I a, count_t n, J b, count_t m, V v, W w, O out, P values) {
    count_t i = 0, j = 0, made = 0;
    while (i < n || j < m) {
        bool is_first = j == m || (i < n && tni_less(a[i], b[j]));
        bool is_second = !is_first && (i == n || tni_less(b[j], a[i]));
        if (is_second ? second : is_first ? first : both) {
            if (is_second) {
                out[made] = b[j];
                values[made] = w[j];
            } else {
                out[made] = a[i];
                values[made] = v[i];
            }
            made++;
        }
        i += !is_second;
        j += !is_first;
    }
    return pair(out + made, values + made);
}
#define TNI_SET(name, A_ALONE, BOTH, B_ALONE)                                                      \
    template <class I, class J, class O>                                                           \
    __device__ inline O name(seq, I a, I a_last, J b, J b_last, O out) {                           \
        return merge<A_ALONE, BOTH, B_ALONE>(a, a_last - a, b, b_last - b, nothing(), nothing(),   \
                                             out, nothing())                                       \
            .first;                                                                                \
    }                                                                                              \
    template <class I, class J, class V, class W, class O, class P>                                \
    __device__ inline tni_tuple<O, P> name##_by_key(seq, I a, I a_last, J b, J b_last, V v, W w,   \
                                                    O out, P values) {                             \
        return merge<A_ALONE, BOTH, B_ALONE>(a, a_last - a, b, b_last - b, v, w, out, values);     \
    }
TNI_SET(set_union, true, true, true)
TNI_SET(set_intersection, false, true, false)
TNI_SET(set_difference, true, false, false)
TNI_SET(set_symmetric_difference, true, false, true)
#undef TNI_SET
template <class I, class J, class V, class O, class P>
__device__ inline tni_tuple<O, P> set_intersection_by_key(seq, I a, I a_last, J b, J b_last, V v,
                                                          O out, P values) {
    return set_intersection_by_key(seq(), a, a_last, b, b_last, v, v, out, values);
}

// --- Sorts ---
template <class K, class V> struct sorter {
    K keys;
    V values;
    __device__ bool less(count_t i, count_t j) const { return tni_less(keys[i], keys[j]); }
    __device__ void swap(count_t i, count_t j) const {
        exchange(keys, i, keys, j);
        auto kept = values[i];
        values[i] = values[j];
        values[j] = kept;
    }
    __device__ void insert(count_t from, count_t to) const {
        for (count_t i = from + 1; i < to; i++)
            for (count_t j = i; j > from && less(j, j - 1); j--) swap(j, j - 1);
    }
    __device__ void swap_pieces(count_t i, count_t j, count_t n) const {
        for (count_t k = 0; k < n; k++) swap(i + k, j + k);
    }
    __device__ void rotate(count_t from, count_t middle, count_t to) const {
        count_t i = middle - from, j = to - middle;
        while (i != j) {
            if (i > j) {
                swap_pieces(middle - i, middle, j);
                i -= j;
            } else {
                swap_pieces(middle - i, middle + j - i, i);
                j -= i;
            }
        }
        swap_pieces(middle - i, middle, i);
    }
    // Merges sorted [from, middle) and [middle, to) around the middle of both.
    __device__ void merge(count_t from, count_t middle, count_t to) const {
        if (from >= middle || middle >= to) return;
        if (to - from == 2) {
            if (less(middle, from)) swap(from, middle);
            return;
        }
        count_t half = (from + to) / 2, sum = half + middle, last = sum - 1;
        count_t start = middle > half ? sum - to : from, end = middle > half ? half : middle;
        while (start < end) {
            count_t at = (start + end) / 2;
            if (!less(last - at, at))
                start = at + 1;
            else
                end = at;
        }
        end = sum - start;
        if (start < middle && middle < end) rotate(start, middle, end);
        merge(from, start, half);
        merge(half, end, to);
    }
    __device__ void sort(count_t n) const {
        const count_t least = 16;
        for (count_t i = 0; i < n; i += least) insert(i, i + least < n ? i + least : n);
        for (count_t size = least; size < n; size *= 2)
            for (count_t i = 0; i + size < n; i += 2 * size)
                merge(i, i + size, i + 2 * size < n ? i + 2 * size : n);
    }
};
template <class K, class V>
__device__ inline void stable_sort_by_key(seq, K keys, K last, V values) {
    sorter<K, V>{keys, values}.sort(last - keys);
}
template <class K, class V> __device__ inline void sort_by_key(seq, K keys, K last, V values) {
    stable_sort_by_key(seq(), keys, last, values);
}
template <class K> __device__ inline void stable_sort(seq, K keys, K last) {
    stable_sort_by_key(seq(), keys, last, nothing());
}
template <class K> __device__ inline void sort(seq, K keys, K last) {
    stable_sort_by_key(seq(), keys, last, nothing());
}
} // namespace tni_thrust
#endif
