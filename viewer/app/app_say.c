// SPDX-License-Identifier: Apache-2.0
// Messages of the window: over the picture for a few seconds, and in the log of the caller.
#include "viewer/app/app.h"

#include "base/timer.h"

#include <stdarg.h>
#include <stdio.h>

static const double toast_seconds = 4.0;

void app_show_toast(view_app *app, const char *text)
{
    snprintf(app->toast, sizeof app->toast, "%s", text);
    app->toast_until = base_timer_seconds() + toast_seconds;
}

void app_log(const view_app *app, const char *text)
{
    if (app->request->note != NULL)
        app->request->note(app->request->context, CAIRN_INFO, text);
}

void app_say(view_app *app, const char *format, ...)
{
    char text[VIEW_TEXT_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    app_show_toast(app, text);
    app_log(app, text);
}
