/* LVGL: screens with lists, tables, charts, texts and animations are made, drawn, changed and deleted. */
#include "work_lvgl.h"

#include <stdio.h>

#include "lvgl.h"
#include "work.h"

#define WIDTH 128
#define HEIGHT 128
#define LINES 16
#define FRAMES 3
#define FRAME_MS 30u
#define PARTS 14
#define SCREENS 6 /* at once */

static lv_disp_drv_t driver;
static lv_disp_draw_buf_t buffer;
static lv_color_t pixels[WIDTH * LINES];
static uint32_t now;
static uint32_t sum; /* of what was drawn */
static uint64_t random_state;
static lv_obj_t *screens[SCREENS];

uint32_t work_lvgl_now(void)
{
    return now;
}

static void flush(lv_disp_drv_t *display, const lv_area_t *area, lv_color_t *colours)
{
    const uint32_t count = lv_area_get_size(area);
    for (uint32_t i = 0; i < count; i++) {
        sum = sum * 31 + colours[i].full;
    }
    lv_disp_flush_ready(display);
}

static uint32_t below(uint32_t limit)
{
    return work_random(&random_state) % limit;
}

/* ---- parts of a screen ------------------------------------------------------------------------ */

static void make_label(lv_obj_t *screen)
{
    lv_obj_t *const label = lv_label_create(screen);
    char text[160];
    const uint32_t words = 1 + below(20);
    size_t length = 0;
    for (uint32_t i = 0; i < words; i++) {
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "w%u ", (unsigned)below(99));
    }
    lv_label_set_text(label, text);
    lv_obj_set_pos(label, (lv_coord_t)below(WIDTH), (lv_coord_t)below(HEIGHT));
    lv_obj_set_width(label, (lv_coord_t)(20 + below(80)));
    lv_label_set_text_fmt(label, "%s+%u", text, (unsigned)below(1000));
}

static void make_button(lv_obj_t *screen)
{
    lv_obj_t *const button = lv_btn_create(screen);
    lv_obj_set_style_bg_color(button, lv_color_hex(below(0xFFFFFF)), 0);
    lv_obj_set_style_radius(button, (lv_coord_t)below(12), LV_STATE_PRESSED);
    lv_obj_set_style_border_width(button, (lv_coord_t)below(4), 0);
    lv_label_set_text_fmt(lv_label_create(button), "%u", (unsigned)below(100000));
}

static void make_list(lv_obj_t *screen)
{
    lv_obj_t *const list = lv_list_create(screen);
    const uint32_t count = 1 + below(8);
    for (uint32_t i = 0; i < count; i++) {
        char text[24];
        snprintf(text, sizeof text, "entry %u", (unsigned)below(100000));
        (void)lv_list_add_btn(list, NULL, text);
    }
    if (count > 3) {
        lv_obj_del(lv_obj_get_child(list, (int32_t)below(count)));
    }
}

static void make_table(lv_obj_t *screen)
{
    lv_obj_t *const table = lv_table_create(screen);
    const uint16_t rows = (uint16_t)(1 + below(6)), columns = (uint16_t)(1 + below(4));
    lv_table_set_row_cnt(table, rows);
    lv_table_set_col_cnt(table, columns);
    for (uint16_t row = 0; row < rows; row++) {
        for (uint16_t column = 0; column < columns; column++) {
            lv_table_set_cell_value_fmt(table, row, column, "%u", (unsigned)below(1000000));
        }
    }
}

static void make_chart(lv_obj_t *screen)
{
    lv_obj_t *const chart = lv_chart_create(screen);
    lv_chart_set_point_count(chart, (uint16_t)(5 + below(60)));
    for (uint32_t i = 0; i < 1 + below(3); i++) {
        lv_chart_series_t *const series =
            lv_chart_add_series(chart, lv_color_hex(below(0xFFFFFF)), LV_CHART_AXIS_PRIMARY_Y);
        for (uint32_t n = 0; n < 20; n++) {
            lv_chart_set_next_value(chart, series, (lv_coord_t)below(100));
        }
    }
}

static void make_text(lv_obj_t *screen)
{
    lv_obj_t *const area = lv_textarea_create(screen);
    for (uint32_t i = 0; i < 1 + below(6); i++) {
        lv_textarea_add_text(area, "more and more ");
        lv_textarea_del_char(area);
    }
}

static void make_choice(lv_obj_t *screen)
{
    lv_obj_t *const choice = lv_dropdown_create(screen);
    lv_dropdown_clear_options(choice);
    for (uint32_t i = 0; i < 1 + below(6); i++) {
        char text[16];
        snprintf(text, sizeof text, "o%u", (unsigned)below(9999));
        lv_dropdown_add_option(choice, text, LV_DROPDOWN_POS_LAST);
    }
}

static void move(void *object, int32_t x)
{
    lv_obj_set_x(object, (lv_coord_t)x);
}

static void make_moving(lv_obj_t *screen)
{
    lv_obj_t *const bar = lv_bar_create(screen);
    lv_anim_t animation;
    lv_anim_init(&animation);
    lv_anim_set_var(&animation, bar);
    lv_anim_set_values(&animation, 0, 40);
    lv_anim_set_time(&animation, 50 + below(200));
    lv_anim_set_exec_cb(&animation, move);
    (void)lv_anim_start(&animation);
    lv_bar_set_value(bar, (int32_t)below(100), LV_ANIM_ON);
}

static void make_tabs(lv_obj_t *screen)
{
    lv_obj_t *const tabs = lv_tabview_create(screen, LV_DIR_TOP, 20);
    for (uint32_t i = 0; i < 1 + below(3); i++) {
        char text[16];
        snprintf(text, sizeof text, "t%u", (unsigned)below(99));
        make_label(lv_tabview_add_tab(tabs, text));
    }
}

static void (*const makers[])(lv_obj_t *) = {make_label, make_button, make_list,   make_table,
                                             make_chart, make_text,   make_choice, make_moving,
                                             make_tabs,  make_label,  make_button, make_label};

/* ---- rounds ----------------------------------------------------------------------------------- */

const char *work_start(const char *script)
{
    (void)script;
    lv_init();
    lv_disp_draw_buf_init(&buffer, pixels, NULL, WIDTH * LINES);
    lv_disp_drv_init(&driver);
    driver.draw_buf = &buffer;
    driver.flush_cb = flush;
    driver.hor_res = WIDTH;
    driver.ver_res = HEIGHT;
    return lv_disp_drv_register(&driver) != NULL ? NULL : "no display";
}

const char *work_round(uint32_t round)
{
    random_state = round;
    lv_obj_t **const place = &screens[round % SCREENS];
    if (*place != NULL) {
        lv_obj_del(*place);
    }
    lv_obj_t *const screen = *place = lv_obj_create(NULL);
    const uint32_t count = 1 + below(PARTS);
    for (uint32_t i = 0; i < count; i++) {
        makers[below(sizeof makers / sizeof makers[0])](screen);
    }
    lv_scr_load(screen);
    for (uint32_t frame = 0; round % 16 == 0 && frame < FRAMES; frame++) {
        now += FRAME_MS;
        (void)lv_timer_handler();
    }
    work_note(&sum, sizeof sum);
    return NULL;
}

/* The display and the theme stay: LVGL has no end. */
void work_end(void)
{
    if (lv_disp_get_default() == NULL) {
        return;
    }
    lv_scr_load(lv_obj_create(NULL));
    for (int i = 0; i < SCREENS; i++) {
        if (screens[i] != NULL) {
            lv_obj_del(screens[i]);
            screens[i] = NULL;
        }
    }
}
