/* plugins OBJECT OBJECT ...: loads each, has it allocate its number, and unloads it, so that the
 * next one may lie where it was. */
#include <dlfcn.h>
#include <stdlib.h>

int main(int count, char **arguments)
{
    for (int i = 1; i < count; i++) {
        void *object = dlopen(arguments[i], RTLD_NOW);
        void *(*plugin)(size_t) = NULL;
        if (object == NULL) {
            return 1;
        }
        *(void **)&plugin = dlsym(object, "plugin");
        free(plugin((size_t)i));
        dlclose(object);
    }
    return 0;
}
