#include "written.h"

#include <stdbool.h>
#include <string.h>

#include "form.h"
#include "letters.h"

#define WORD_MAX 12u
#define LEAST 4u  /* marks of a sentence */
#define SHARE 40u /* of them a hundred words */

/* Is the word in a list of words that have a blank before and behind? */
static bool is_in(const char *list, const char *word)
{
    char bounded[WORD_MAX + 3] = " ";
    strncat(bounded, word, WORD_MAX);
    strcat(bounded, " ");
    return strstr(list, bounded) != NULL;
}

/* Words of sentences: 2 for those that programs seldom print, 1 for the others. */
static unsigned mark_of(const char *word)
{
    static const char strong[] =
        " i you we my your our they it's i'm will would should can have has had was were is are "
        "be been last soon because which that there this please what how who why year people "
        "think want know very really also just about their them he she his her ";
    static const char weak[] = " the a an of to in for with and or by on at from as but if when so "
                               "could than then its into it not ";
    return is_in(strong, word) ? 2 : is_in(weak, word) ? 1 : 0;
}

static bool is_sentence(const char *text, size_t length)
{
    unsigned words = 0, marks = 0;
    for (size_t at = 0; at < length;) {
        char word[WORD_MAX + 1] = "";
        size_t size = 0;
        while (at < length && (hs_log_word_byte(text[at]) || text[at] == '\'')) {
            if (size < WORD_MAX) {
                word[size] = hs_log_lower(text[at]);
                word[size + 1] = 0;
            }
            size++;
            at++;
        }
        if (size > 0 && size <= WORD_MAX) {
            marks += mark_of(word);
        }
        words += size > 0;
        at += size == 0;
    }
    return marks >= LEAST && marks * 100 >= words * SHARE;
}

/* "%d", "%5lu", "%-12s": the text of a print, and not what it prints. */
static bool has_conversion(const char *text)
{
    for (const char *at = strchr(text, '%'); at != NULL; at = strchr(at + 1, '%')) {
        const bool number = at > text && at[-1] >= '0' && at[-1] <= '9';
        const char *kind = at + 1 + strspn(at + 1, "-+0123456789.*lzhtj");
        if (!number && *kind != 0 && strchr("duxXspifcg", *kind) != NULL &&
            !hs_log_word_byte(kind[1])) {
            return true;
        }
    }
    return false;
}

static bool is_source(const char *text, size_t length)
{
    static const char *const begins[] = {"#include", "#define", "#if",     "#endif",   "/*",
                                         "*/",       "return ", "static ", "const ",   "if (",
                                         "while (",  "for (",   "} else",  "typedef ", "class ",
                                         "let ",     "fn ",     "import ", "case ",    "@@ "};
    static const char *const types[] = {"void ", "int ", "size_t ", "uint32_t ", "def "};
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++) {
        if (strncmp(text, begins[i], strlen(begins[i])) == 0) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strncmp(text, types[i], strlen(types[i])) == 0 && strpbrk(text, ";(") != NULL) {
            return true; /* "int free 5000" may be internal memory */
        }
    }
    if (strncmp(text, "assert ", 7) == 0 && strncmp(text + 7, "failed", 6) != 0) {
        return true;
    }
    const char end = length == 0 ? ' ' : text[length - 1];
    const bool calls = strchr(text, '(') != NULL || strstr(text, "->") != NULL;
    const bool array = end == ';' && length > 1 && text[length - 2] == ']';
    return has_conversion(text) || array || (end == ';' && calls) || (end == '{' && calls) ||
           strstr(text, "); //") != NULL || strstr(text, "; //") != NULL;
}

bool hs_log_by_computer(const char *text)
{
    static const char *const names[] = {
        "java.",         "JavaScript heap", "oom-kill",   "Killed process", "JVM",
        "postgres",      "mysqld",          "docker",     "kubelet",        "systemd",
        "kernel: ",      "node:internal",   "cgroup",     "chrome",         "nginx",
        "npm ",          "pfns=",           "buff/cache", "1K-blocks",      "rwdata",
        "Freeing initrd"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strstr(text, names[i]) != NULL) {
            return true;
        }
    }
    return false;
}

hs_log_writer_t hs_log_written(const char *text, size_t length)
{
    const bool comment = strncmp(text, "//", 2) == 0;
    return is_source(text, length)                ? HS_LOG_IN_SOURCE
           : comment || is_sentence(text, length) ? HS_LOG_BY_PERSON
                                                  : HS_LOG_BY_PROGRAM;
}
