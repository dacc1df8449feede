/* How does an instance come and go?
 *
 * The dynamic linker knows a file by its name and by its inode. So every load
 * is a file of its own in memory, under a name that was never used before: a
 * descriptor's number comes again, hence the number of the load is spelt into
 * the path as steps that lead nowhere. The bytes that were examined are the
 * bytes that are loaded.
 *
 * Nothing of the bot runs while it is loaded (its constructors stand in a
 * table), and nothing when it is dropped (it registers no destructors), so
 * its memory can be taken away in the middle of anything.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>

#define OPCOST__GUARD ((size_t)1 << 20)
#define OPCOST__RESERVED ((size_t)4 << 30)

static size_t opcost__pages(size_t bytes) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  return (bytes + page - 1) / page * page;
}

/* The whole file, or null with the reason. */
static char *opcost__read(const char *path, struct opcost__file *file) {
  struct stat about;
  int from = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  char *bytes = NULL;
  size_t have = 0;
  if (from < 0 || fstat(from, &about) != 0) {
    opcost__no(file, "cannot be read: %s", strerror(errno));
  } else if (!S_ISREG(about.st_mode) || about.st_size > (off_t)1 << 30) {
    opcost__no(file, "not a plug-in; make one with: opcost fuel --emit shared");
  } else if ((bytes = (char *)malloc((size_t)about.st_size + 1)) == NULL) {
    opcost__no(file, "no memory to read it");
  } else {
    while (have < (size_t)about.st_size) {
      ssize_t got = read(from, bytes + have, (size_t)about.st_size - have);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      have += (size_t)got;
    }
    file->bytes = bytes;
    file->size = have;
  }
  if (from >= 0) close(from);
  return bytes;
}

static void *opcost__link(struct opcost__file *file) {
  static uint64_t loads;
  char path[128];
  /* To be closed on exec, and to be run; older kernels do not ask for that. */
  int copy = (int)syscall(SYS_memfd_create, "opcost plug-in", 0x11);
  if (copy < 0 && errno == EINVAL) copy = (int)syscall(SYS_memfd_create, "opcost plug-in", 1);
  void *library = NULL;
  size_t written = 0;
  if (copy < 0) {
    opcost__no(file, "no file in memory to be had: %s", strerror(errno));
    return NULL;
  }
  while (written < file->size) {
    ssize_t some = write(copy, file->bytes + written, file->size - written);
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) break;
    written += (size_t)some;
  }
  if (written < file->size) {
    opcost__no(file, "no memory for its code: %s", strerror(errno));
  } else {
    char *end = path + snprintf(path, sizeof path, "/proc/self/fd");
    for (uint64_t load = __atomic_add_fetch(&loads, 1, __ATOMIC_RELAXED); load; load >>= 1) {
      *end++ = '/';
      if (load & 1) *end++ = '.';
    }
    snprintf(end, sizeof path - (size_t)(end - path), "/%d", copy);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) opcost__no(file, "the dynamic linker says: %s", dlerror());
  }
  close(copy);
  return library;
}

static int opcost__map(struct opcost_instance *instance, size_t stack, size_t memory) {
  size_t size = stack + 2 * OPCOST__GUARD;
  void *room = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return 0;
  instance->stack_mapping = (char *)room;
  instance->stack_mapping_size = size;
  instance->stack_low = instance->stack_mapping + OPCOST__GUARD;
  instance->stack_high = instance->stack_low + stack;
  if (mprotect(instance->stack_low, stack, PROT_READ | PROT_WRITE) != 0) return 0;
  instance->heap_reserved = memory > OPCOST__RESERVED ? memory : OPCOST__RESERVED;
  room = mmap(NULL, instance->heap_reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) {
    /* Addresses are short here: no more than the limit, which cannot be raised. */
    instance->heap_reserved = memory;
    room = mmap(NULL, memory, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) return 0;
  }
  instance->heap = (char *)room;
  return mprotect(instance->heap, memory, PROT_READ | PROT_WRITE) == 0;
}

void opcost_drop(opcost_instance *instance) {
  if (instance == NULL) return;
  if (instance->library) dlclose(instance->library);
  if (instance->stack_mapping) munmap(instance->stack_mapping, instance->stack_mapping_size);
  if (instance->heap) munmap(instance->heap, instance->heap_reserved);
  free(instance);
}

static void opcost__leave(struct opcost_plugin *plugin, uint32_t why);

opcost_instance *opcost_load(const char *path, const opcost_options *options, char *reason, size_t reason_size) {
  struct opcost__file file;
  size_t stack = opcost__pages(options && options->stack_bytes ? options->stack_bytes : (size_t)1 << 20);
  size_t memory = opcost__pages(options && options->memory_bytes ? options->memory_bytes : (size_t)64 << 20);
  const char *const *allowed = options ? options->allowed : NULL;
  memset(&file, 0, sizeof file);
  file.reason = reason;
  file.reason_size = reason_size;
  if (reason_size) *reason = 0;
  char *bytes = opcost__read(path, &file);
  if (bytes == NULL) return NULL;
  opcost_instance *instance = (opcost_instance *)calloc(1, sizeof *instance);
  int is_fine = instance && opcost__examine(&file, allowed);
  if (is_fine && file.data > memory)
    is_fine = opcost__no(&file, "its data take %llu bytes, its limit is %zu", (unsigned long long)file.data, memory);
  if (is_fine) {
    pthread_once(&opcost__once, opcost__take_signals);
    instance->library = opcost__link(&file);
    is_fine = instance->library != NULL;
  }
  free(bytes);
  if (is_fine) {
    struct link_map *map = NULL;
    instance->plugin = (struct opcost_plugin *)dlsym(instance->library, "opcost_plugin");
    is_fine = instance->plugin && dlinfo(instance->library, RTLD_DI_LINKMAP, &map) == 0;
    if (is_fine) {
      uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
      instance->text_low = (char *)map->l_addr + file.text_low / page * page;
      instance->text_high = (char *)map->l_addr + opcost__pages(file.text_high);
    }
  }
  if (is_fine && !opcost__map(instance, stack, memory))
    is_fine = opcost__no(&file, "no room for its stack or heap: %s", strerror(errno));
  if (!is_fine) {
    opcost_drop(instance);
    return NULL;
  }
  struct opcost_plugin *plugin = instance->plugin;
  plugin->host = instance;
  plugin->leave = opcost__leave;
  plugin->heap = instance->heap;
  plugin->heap_limit = memory;
#ifdef OPCOST_UCONTEXT
  instance->host_left = &instance->host_room;
  instance->bot_left = &instance->bot_room;
  instance->bot_left = opcost__begin(instance->stack_low, instance->stack_high, plugin->enter, instance->bot_left);
#else
  instance->bot_left = opcost__begin(instance->stack_low, instance->stack_high, plugin->enter, NULL);
#endif
  return instance;
}

opcost_function opcost_find(const opcost_instance *instance, const char *name) {
  const struct opcost_export *at = instance->plugin->functions;
  for (; at->name; at++)
    if (strcmp(at->name, name) == 0) return at->function;
  return NULL;
}

static int opcost__has(const opcost_instance *instance, opcost_function function) {
  const struct opcost_export *at = instance->plugin->functions;
  while (at->name && at->function != function) at++;
  return at->name != NULL;
}

int opcost_set_memory(opcost_instance *instance, size_t bytes) {
  size_t memory = opcost__pages(bytes);
  if (memory < bytes || memory > instance->heap_reserved) return -1;
  if (memory > instance->plugin->heap_limit && mprotect(instance->heap, memory, PROT_READ | PROT_WRITE) != 0) return -1;
  instance->plugin->heap_limit = memory;
  return 0;
}

uint64_t opcost_memory(const opcost_instance *instance) { return instance->plugin->heap_used; }
uint64_t opcost_memory_peak(const opcost_instance *instance) { return instance->plugin->heap_peak; }
uint64_t opcost_overshoot(const opcost_instance *instance) { return *instance->plugin->overshoot; }
const char *opcost_cost_model(const opcost_instance *instance) { return instance->plugin->cost_model; }

const char *opcost_output(const opcost_instance *instance, size_t *bytes, uint64_t *lost) {
  const struct opcost_plugin *plugin = instance->plugin;
  *bytes = plugin->output_used < plugin->output_size ? plugin->output_used : plugin->output_size;
  if (lost) *lost = plugin->output_lost;
  return plugin->output;
}
