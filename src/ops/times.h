/* Dates and durations: int64 that count a unit; the least is NaT, which is no time. A year begins
 * in March here: 400 of them have 146097 days, and 1970-01-01 is day 719468. */
#ifndef TNI_OPS_TIMES_H
#define TNI_OPS_TIMES_H
#define TN_NAT ((tn_i64)((tn_u64)1 << 63))
#ifdef __cplusplus /* where a literal chooses the function */
TN_FN tn_i64 m_floor_divide(tn_i64 a, int b) {
    return m_floor_divide(a, (tn_i64)b);
}
#endif
TN_FN tn_i64 m_time_divide(tn_i64 a, tn_i64 b) {
    return a == TN_NAT || b == 0 ? TN_NAT : TN_NAME(quotient, i64)(a, b);
}

TN_FN tn_i64 m_time_convert(tn_i64 a, tn_i64 up, tn_i64 down) {
    return a == TN_NAT ? TN_NAT : TN_NAME(floor_divide, i64)(a * up, down);
}

TN_FN tn_i64 m_time_days(tn_i64 months) {
    const tn_i64 shifted = months + (1970 * 12 - 2);
    const tn_i64 year = TN_NAME(floor_divide, i64)(shifted, 12), month = shifted - year * 12;
    const tn_i64 leap_days = TN_NAME(floor_divide, i64)(year, 4) -
                             TN_NAME(floor_divide, i64)(year, 100) +
                             TN_NAME(floor_divide, i64)(year, 400);
    return months == TN_NAT ? TN_NAT : year * 365 + leap_days + (153 * month + 2) / 5 - 719468;
}

TN_FN tn_i64 m_time_months(tn_i64 days) {
    const tn_i64 shifted = days + 719468, era = TN_NAME(floor_divide, i64)(shifted, 146097);
    const tn_i64 day = shifted - era * 146097;
    const tn_i64 year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    const tn_i64 day_of_year = day - (365 * year + year / 4 - year / 100);
    const tn_i64 month = (era * 400 + year) * 12 + (5 * day_of_year + 2) / 153;
    return days == TN_NAT ? TN_NAT : month + (2 - 1970 * 12);
}

#endif
