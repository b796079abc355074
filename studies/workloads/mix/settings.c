#include "settings.h"

#include "random.h"

typedef struct hs_setting {
    struct hs_setting *next;
    char *name, *value;
    uint32_t flags;
} hs_setting_t;

static unsigned random_between(hs_settings_t *settings, unsigned low, unsigned high)
{
    unsigned char bytes[2];
    hs_random_fill(&settings->random, bytes, sizeof bytes);
    return low + (bytes[0] | (unsigned)bytes[1] << 8) % (high - low + 1);
}

static char *new_text(hs_settings_t *settings, unsigned low, unsigned high)
{
    return hs_rec_malloc(settings->rec, random_between(settings, low, high));
}

static char *new_value(hs_settings_t *settings)
{
    return new_text(settings, 2, 40);
}

void hs_settings_add(hs_settings_t *settings)
{
    hs_setting_t *setting = hs_rec_calloc(settings->rec, 1, sizeof *setting);
    if (setting == NULL) {
        return;
    }
    setting->name = new_text(settings, 6, 24);
    setting->value = new_value(settings);
    setting->next = settings->first;
    settings->first = setting;
    settings->count++;
}

void hs_settings_change(hs_settings_t *settings)
{
    hs_setting_t *setting = settings->first;
    for (unsigned i = random_between(settings, 0, settings->count - 1); i > 0; i--) {
        setting = setting->next;
    }
    char *value = new_value(settings); /* before the old one goes: it is copied from */
    hs_rec_free(settings->rec, setting->value);
    setting->value = value;
}
