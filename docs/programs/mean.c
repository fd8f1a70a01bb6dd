#include <stdio.h>
#include <tenorite/tenorite.h>

int main(void) {
    tn_array *x, *wave = NULL, *sum = NULL;
    tn_scalar value;
    if (tn_array_new_linspace(&x, NULL, tn_scalar_weak_float(0), tn_scalar_weak_float(3.14159265),
                              1000001, true, TN_F64, NULL) ||
        tn_unary(&wave, TN_OP_SIN, x, NULL) || tn_reduce(&sum, TN_REDUCE_MEAN, wave, NULL, NULL) ||
        tn_array_item(&value, sum, NULL)) {
        fprintf(stderr, "%s\n", tn_error_message());
        return 1;
    }
    printf("mean of sin over [0, pi]: %.6f\n", value.value.f64);
    tn_array_release(x);
    tn_array_release(wave);
    tn_array_release(sum);
}
