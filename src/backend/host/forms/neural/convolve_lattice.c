#include "backend/host/forms/neural/convolve_lattice.h"

static double share_of(int64_t places, int64_t lanes) {
    return (double)places / (double)((places + lanes - 1) / lanes * lanes);
}

void tni_lattice_order(tni_lattice *lattice, tni_lattice_maps *maps, int ndim, int64_t batch,
                       const int64_t *places, const int64_t *reach) {
    const int64_t lanes = lattice->loops->lanes;
    double share = 1, rows = share_of(places[ndim - 1], lanes);
    for (int k = 0; k < ndim; k++)
        share *= (double)places[k] / (double)(places[k] + reach[k]);
    const bool is_last = (share > rows ? share : rows) < 0.6 * share_of(batch, lanes);
    lattice->ndim = ndim + 1;
    maps->batch = is_last ? ndim : 0;
    lattice->axes[maps->batch] =
        (tni_lattice_axis){.places = batch, .size = batch, .step = 1, .phases = 1, .dilation = 1};
    for (int k = 0; k < ndim; k++) {
        maps->spatial[k] = k + !is_last;
        lattice->axes[maps->spatial[k]] = (tni_lattice_axis){
            .places = places[k], .step = 1, .phases = 1, .dilation = 1, .reach = reach[k]};
    }
}

static int64_t common_divisor(int64_t a, int64_t b) {
    while (b) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

void tni_convolve_lattice(tni_lattice *lattice, tni_lattice_maps *maps, const tni_convolve *call) {
    int64_t reach[TN_SPATIAL_MAX] = {0};
    for (int k = 0; k < call->ndim; k++)
        reach[k] = (call->w_shape[k] - 1) * call->dilations[k] / call->strides[k];
    tni_lattice_order(lattice, maps, call->ndim, call->batch, call->y_shape, reach);
    lattice->channel_stride = call->x.channel_stride;
    lattice->axes[maps->batch].stride = call->x.batch_stride;
    for (int k = 0; k < call->ndim; k++) {
        tni_lattice_axis *axis = &lattice->axes[maps->spatial[k]];
        axis->size = call->x_shape[k];
        axis->stride = call->x.strides[k];
        axis->step = call->strides[k];
        axis->first = -call->pads[k];
        axis->dilation = call->dilations[k];
        axis->phases = axis->step / common_divisor(axis->step, axis->dilation);
        if (axis->phases > call->w_shape[k]) axis->phases = call->w_shape[k];
    }
}

int64_t tni_convolve_channels(const tni_lattice *lattice, int64_t channels) {
    const int64_t some = TNI_LATTICE_BYTES / lattice->loops->element / lattice->size;
    const int64_t chunk = some < TNI_LATTICE_CHANNELS ? TNI_LATTICE_CHANNELS : some;
    return chunk < channels ? chunk : channels;
}

int64_t tni_convolve_taps(const tni_convolve *call) {
    int64_t taps = 1;
    for (int k = 0; k < call->ndim; k++)
        taps *= call->w_shape[k];
    return taps;
}

void tni_convolve_tap(int64_t *r, const tni_convolve *call, int64_t tap) {
    for (int k = call->ndim - 1; k >= 0; k--) {
        r[k] = tap % call->w_shape[k];
        tap /= call->w_shape[k];
    }
}
