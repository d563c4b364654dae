// SPDX-License-Identifier: Apache-2.0
// Opens what drawing needs, aims the camera, writes captions.
#include "viewer/app/stage.h"

#include "base/assert.h"

#include <math.h>
#include <string.h>

const char *view_missing(void)
{
    return NULL;
}

void view_describe(char *text, size_t size)
{
    base_allocator allocator = base_allocator_default();
    view_gpu_options options = {.title = "cairn", .width = 16, .height = 16, .hidden = true};
    cairn_error error = {0};
    view_gpu *gpu = NULL;
    if (view_gpu_open(&allocator, &options, &gpu, &error) == CAIRN_OK)
        snprintf(text, size, "%s", view_gpu_name(gpu));
    else
        snprintf(text, size, "%s", error.message);
    view_gpu_close(gpu);
}

cairn_status view_stage_set_text(view_stage *stage, double pixels, cairn_error *error)
{
    view_font *font = NULL;
    if (stage->text_height == pixels)
        return CAIRN_OK;
    cairn_status status = view_font_create(&stage->allocator, pixels, &font);
    if (status != CAIRN_OK)
        return base_fail(error, status, "the font cannot be read");
    status = view_gpu_set_font(stage->gpu, font, error);
    if (status != CAIRN_OK) {
        view_font_destroy(font);
        return status;
    }
    view_font_destroy(stage->font);
    stage->font = font;
    stage->canvas.font = font;
    stage->text_height = pixels;
    return CAIRN_OK;
}

cairn_status view_stage_open(view_stage *stage, const base_allocator *allocator,
                             const view_gpu_options *options, double text_height,
                             cairn_error *error)
{
    *stage = (view_stage){.allocator = *allocator, .camera = view_camera_default(), .followed = -1};
    cairn_status status = view_gpu_open(allocator, options, &stage->gpu, error);
    if (status == CAIRN_OK)
        status = view_stage_set_text(stage, text_height, error);
    if (status != CAIRN_OK) {
        view_stage_close(stage);
        return status;
    }
    stage->canvas = view_canvas_begin(allocator, stage->font);
    stage->list = view_draw_list_begin(allocator);
    return CAIRN_OK;
}

void view_stage_close(view_stage *stage)
{
    view_canvas_finish(&stage->canvas);
    view_draw_list_finish(&stage->list);
    view_font_destroy(stage->font);
    view_gpu_close(stage->gpu);
    if (stage->allocator.reallocate != NULL)
        base_release(&stage->allocator, stage->pixels);
    *stage = (view_stage){0};
}

view_place view_place_default(void)
{
    return (view_place){.azimuth = NAN, .elevation = NAN, .zoom = NAN};
}

/// Distance at which the corners of all bodies' own boxes are in the picture: nearer than what the
/// box around everything asks for.
static double needed_distance(const view_camera *camera, const view_model *model,
                              const view_frame *frame, double aspect)
{
    double distance = 1e-6;
    for (int i = 0; i < frame->body_count; i++) {
        const view_shape *shape = &model->shapes[model->bodies[i].shape];
        for (int corner = 0; corner < 8 && frame->present[i] && model->bodies[i].radius > 0.0;
             corner++) {
            vec3 local = vec3_make(corner & 1 ? shape->maximum.x : shape->minimum.x,
                                   corner & 2 ? shape->maximum.y : shape->minimum.y,
                                   corner & 4 ? shape->maximum.z : shape->minimum.z);
            vec3 point = pose_apply(&frame->poses[i], local);
            distance = fmax(distance, view_camera_needed(camera, point, aspect));
        }
    }
    for (int i = 0; i < model->joint_count; i++)
        for (int side = 0; side < 2 && !model->joints[i].is_connector; side++)
            if (model->joints[i].bodies[side] < 0)
                distance = fmax(distance,
                                view_camera_needed(camera, model->joints[i].points[side], aspect));
    for (int i = 0; i < model->region_count; i++)
        for (int corner = 0; corner < 8 && model->regions[i].kind == VIEW_REGION_EMITTER;
             corner++) {
            vec3 low = model->regions[i].minimum, high = model->regions[i].maximum;
            vec3 point = vec3_make(corner & 1 ? high.x : low.x, corner & 2 ? high.y : low.y,
                                   corner & 4 ? high.z : low.z);
            distance = fmax(distance, view_camera_needed(camera, point, aspect));
        }
    return distance;
}

/// Box around the bodies of all frames. @return false where there is no body
static bool find_bounds(const view_model *model, const view_frame *const *frames, int frame_count,
                        vec3 *low, vec3 *high)
{
    bool any = false;
    for (int i = 0; i < frame_count; i++) {
        vec3 minimum, maximum;
        if (!view_frame_bounds(frames[i], model, true, &minimum, &maximum))
            continue;
        *low = any ? vec3_min(*low, minimum) : minimum;
        *high = any ? vec3_max(*high, maximum) : maximum;
        any = true;
    }
    return any;
}

void view_stage_aim(view_stage *stage, const view_model *model, const view_frame *const *frames,
                    int frame_count, const view_place *place, double aspect)
{
    vec3 low, high;
    view_camera *camera = &stage->camera;
    *camera = view_camera_default();
    if (!isnan(place->azimuth))
        camera->azimuth = place->azimuth * M_PI / 180.0;
    if (!isnan(place->elevation))
        camera->elevation = place->elevation * M_PI / 180.0;
    camera->parallel = place->parallel;
    if (place->saved) {
        camera->target = vec3_from(place->target);
        camera->distance = place->distance;
        view_camera_zoom(camera, isnan(place->zoom) ? 1.0 : 1.0 / place->zoom);
        return;
    }
    double needed = 0.0;
    if (place->boxed) {
        low = vec3_from(place->low);
        high = vec3_from(place->high);
    } else if (!find_bounds(model, frames, frame_count, &low, &high)) {
        low = vec3_make(-1.0, -1.0, 0.0);
        high = vec3_make(1.0, 1.0, 1.0);
    }
    view_camera_fit(camera, low, high, aspect);
    for (int i = 0; i < frame_count && !place->boxed; i++)
        if (frames[i]->body_count > 0)
            needed = fmax(needed, needed_distance(camera, model, frames[i], aspect));
    if (needed > 0.0)
        camera->distance = fmin(camera->distance, 1.14 * needed);
    if (!isnan(place->zoom))
        view_camera_zoom(camera, 1.0 / place->zoom);
}

void view_stage_follow(view_stage *stage, const view_frame *frame, int body)
{
    stage->followed = view_frame_has(frame, body) ? body : -1;
    if (stage->followed >= 0)
        stage->followed_at = frame->centres[body];
}

bool view_stage_follow_named(view_stage *stage, const view_model *model, const view_frame *frame,
                             const char *name)
{
    int body = -1;
    for (int i = 0; name != NULL && body < 0 && i < frame->body_count; i++)
        if (frame->present[i] && strcmp(model->bodies[i].name, name) == 0)
            body = i;
    view_stage_follow(stage, frame, body);
    return name == NULL || body >= 0;
}

bool view_stage_go_along(view_stage *stage, const view_frame *frame)
{
    int body = stage->followed;
    if (body < 0)
        return true;
    if (!view_frame_has(frame, body)) {
        stage->followed = -1;
        return false;
    }
    vec3 moved = vec3_sub(frame->centres[body], stage->followed_at);
    stage->camera.target = vec3_add(stage->camera.target, moved);
    stage->followed_at = frame->centres[body];
    return true;
}

cairn_status view_stage_read(view_stage *stage, int width, int height, cairn_error *error)
{
    size_t bytes = (size_t)width * (size_t)height * 3;
    if (bytes > stage->pixel_bytes) {
        base_release(&stage->allocator, stage->pixels);
        stage->pixel_bytes = 0;
        stage->pixels = base_allocate(&stage->allocator, bytes, 1);
        if (stage->pixels == NULL)
            return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory");
        stage->pixel_bytes = bytes;
    }
    view_gpu_read(stage->gpu, stage->pixels);
    return CAIRN_OK;
}

// ---------------------------------------------------------------- captions

static const view_colour ink = {44, 50, 60, 255}, behind = {240, 243, 247, 150};

static void draw_status_key(view_canvas *canvas, double right, double y, double row)
{
    static const char *const names[] = {"sliding", "sticking", "open"};
    static const cairn_contact_status statuses[] = {CAIRN_CONTACT_SLIDING, CAIRN_CONTACT_STICKING,
                                                    CAIRN_CONTACT_OPEN};
    for (int i = 0; i < BASE_COUNT(names); i++) {
        right -= view_font_width(canvas->font, names[i]);
        view_canvas_text(canvas, right, y, ink, names[i]);
        right -= row;
        view_canvas_box(canvas, right + 0.2 * row, y + 0.25 * row, 0.5 * row, 0.5 * row,
                        view_colour_status(statuses[i]));
        right -= 0.6 * row;
    }
}

static void draw_force_key(view_canvas *canvas, double length, double unit, double right, double y)
{
    char text[80];
    snprintf(text, sizeof text, "an arrow of %.2g m: %.3g N", length, unit);
    view_canvas_text(canvas, right - view_font_width(canvas->font, text), y, ink, text);
}

static void draw_contact_key(view_stage *stage, const view_model *model, const view_style *style,
                             double right, double *y)
{
    view_canvas *canvas = &stage->canvas;
    double row = view_font_height(stage->font);
    bool acting = stage->list.force_unit > 0.0;
    if (style->contacts == VIEW_CONTACTS_STATUS || style->contacts == VIEW_CONTACTS_CONES)
        draw_status_key(canvas, right, *y, row);
    else if (style->contacts == VIEW_CONTACTS_FORCES && acting)
        draw_force_key(canvas, view_force_length(model, style), stage->list.force_unit, right, *y);
    else
        return;
    *y += 1.4 * row;
}

/// A bar between the ends of the scale, as wide as twelve letters are high.
static void draw_scale_key(view_canvas *canvas, const char *unit, const double range[2],
                           double right, double y, double row)
{
    enum { PIECES = 48 };
    char text[40];
    snprintf(text, sizeof text, "%.3g %s", range[1], unit);
    right -= view_font_width(canvas->font, text);
    view_canvas_text(canvas, right, y, ink, text);
    double width = 12.0 * row, left = right - 0.5 * row - width;
    for (int i = 0; i < PIECES; i++)
        view_canvas_box(canvas, left + i * width / PIECES, y + 0.2 * row, width / PIECES, 0.6 * row,
                        view_colour_scale((i + 0.5) / PIECES));
    snprintf(text, sizeof text, "%.3g", range[0]);
    view_canvas_text(canvas, left - 0.5 * row - view_font_width(canvas->font, text), y, ink, text);
}

static void draw_material_key(view_canvas *canvas, const view_model *model, double right, double y,
                              double row)
{
    enum { SHOWN = 8 };
    for (int i = model->material_count < SHOWN ? model->material_count - 1 : SHOWN - 1; i >= 0;
         i--) {
        right -= view_font_width(canvas->font, model->materials[i]);
        view_canvas_text(canvas, right, y, ink, model->materials[i]);
        right -= row;
        view_canvas_box(canvas, right + 0.2 * row, y + 0.25 * row, 0.5 * row, 0.5 * row,
                        view_colour_of_material(model, i));
        right -= 0.6 * row;
    }
}

void view_stage_key(view_stage *stage, const view_model *model, const view_style *style,
                    double right, double y)
{
    double row = view_font_height(stage->font), *range = stage->list.colour_range;
    draw_contact_key(stage, model, style, right, &y);
    if (style->colours == VIEW_COLOURS_MATERIAL)
        draw_material_key(&stage->canvas, model, right, y, row);
    else if (range[1] > range[0])
        draw_scale_key(&stage->canvas,
                       style->colours == VIEW_COLOURS_SPEED        ? "m/s"
                       : style->colours == VIEW_COLOURS_SIZE       ? "m"
                       : style->colours == VIEW_COLOURS_PRESSURE   ? "Pa"
                       : style->colours == VIEW_COLOURS_NEIGHBOURS ? "bodies"
                                                                   : "N",
                       range, right, y, row);
}

void view_stage_caption(view_stage *stage, const char *title, const view_model *model,
                        const view_frame *frame, const view_style *style, int width, int height)
{
    view_canvas *canvas = &stage->canvas;
    double row = view_font_height(stage->font), y = height - 1.5 * row, right = width - 0.6 * row;
    double x = 0.6 * row;
    char now[64];
    snprintf(now, sizeof now, "t = %.3f s   contacts %lld", frame->time,
             (long long)view_frame_contacts(frame));
    // a narrow picture goes without the title
    double long_title = view_font_width(canvas->font, title) + row;
    double long_now = view_font_width(canvas->font, now);
    if (x + long_title + long_now >= right)
        long_title = 0.0;
    view_canvas_box(canvas, x - 0.3 * row, y - 0.1 * row, long_title + long_now + 0.6 * row,
                    1.3 * row, behind);
    if (long_title > 0.0)
        view_canvas_text(canvas, x, y, ink, title);
    view_canvas_text(canvas, x + long_title, y, ink, now);
    view_stage_key(stage, model, style, right, 0.6 * row);
}
