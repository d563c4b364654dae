// SPDX-License-Identifier: Apache-2.0
// The viewer of a build without graphics: says what was missing.
#include "viewer/app/view.h"

#include <math.h>

const char *view_missing(void)
{
    return "this cairn was built without the viewer: " VIEW_MISSING;
}

void view_describe(char *text, size_t size)
{
    snprintf(text, size, "%s", view_missing());
}

view_place view_place_default(void)
{
    return (view_place){.azimuth = NAN, .elevation = NAN, .zoom = NAN};
}

cairn_status view_render(const view_render_request *request, view_render_report *report,
                         cairn_error *error)
{
    (void)request;
    *report = (view_render_report){0};
    return base_fail(error, CAIRN_ERROR_UNSUPPORTED, "%s", view_missing());
}

cairn_status view_window(const view_window_request *request, cairn_error *error)
{
    view_subject subject = request->subject;
    view_subject_finish(&subject);
    return base_fail(error, CAIRN_ERROR_UNSUPPORTED, "%s", view_missing());
}
