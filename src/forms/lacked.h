/* Picks the row of a form in a backend's lists (forms.def): HELD, or LACKED where the backend says
 * `#define LACKS_<backend>_<form> TNI_LACKED`. That line puts a comma, and so another second word,
 * before HELD. */
#ifndef TNI_FORMS_LACKED_H
#define TNI_FORMS_LACKED_H

#define TNI_LACKED aside, LACKED
#define TNI_HELD_OR_LACKED(backend, name) TNI_HELD_OR_LACKED_OF(backend, name)
#define TNI_HELD_OR_LACKED_OF(backend, name) TNI_SECOND(LACKS_##backend##_##name, HELD, rest)
#define TNI_SECOND(...) TNI_SECOND_OF(__VA_ARGS__)
#define TNI_SECOND_OF(first, second, ...) second

#endif
