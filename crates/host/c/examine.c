/* May this file be loaded?
 *
 * Before the dynamic linker sees it: it must be a plug-in of this version, for
 * this machine, and import nothing but what the list names: functions that
 * compute, take no lock, hold nothing of the host's heap and come back. What
 * else a bot's libraries want (heap, streams, exceptions' own state) lies in
 * the plug-in itself. Symbols of a file do not say who calls them from where;
 * `opcost fuel --check` looks at the calls of a module, with their places,
 * before it is built, and knows more about each.
 *
 * The file is read through its program headers and its dynamic section, as the
 * linker does. Every offset is checked; a damaged file is rejected.
 */
#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names between spaces. */
static const char *const opcost__allowed[] = {
    " memcpy memmove memset memcmp memchr memrchr memmem mempcpy memccpy rawmemchr bcmp bcopy bzero explicit_bzero"
    " strlen strnlen strcpy strncpy strcat strncat strcmp strncmp strcasecmp strncasecmp strchr strrchr strchrnul"
    " strstr strcasestr strpbrk strspn strcspn strtok_r strsep stpcpy stpncpy strcoll strxfrm strverscmp swab ffs ffsl"
    " ffsll __memcpy_chk __memmove_chk __memset_chk __mempcpy_chk __strcpy_chk __strncpy_chk __strcat_chk"
    " __strncat_chk __stpcpy_chk __stpncpy_chk __rawmemchr __stpcpy __strdup __memcpy_chk_fail ",
    " wcslen wcsnlen wcscpy wcsncpy wcscat wcsncat wcscmp wcsncmp wcschr wcsrchr wcsstr wcspbrk wcsspn wcscspn wcstok"
    " wmemcpy wmemmove wmemset wmemcmp wmemchr wmempcpy btowc wctob mbrtowc wcrtomb mbsnrtowcs mbsrtowcs wcsnrtombs"
    " wcsrtombs mbstowcs wcstombs mblen mbtowc wctomb mbrlen mbsinit mbrtoc16 mbrtoc32 c16rtomb c32rtomb wcstol"
    " wcstoul wcstoll wcstoull wcstod wcstof wcstold wcscoll wcsxfrm __wcscoll_l __wcsxfrm_l __wcsftime_l"
    " __iswctype_l __wctype_l __towlower_l __towupper_l iswctype wctype towlower towupper iswalnum iswalpha iswblank"
    " iswcntrl iswdigit iswgraph iswlower iswprint iswpunct iswspace iswupper iswxdigit ",
    " isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit tolower toupper"
    " __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc __ctype_get_mb_cur_max __errno_location"
    " strtol strtoul strtoll strtoull strtoimax strtoumax strtod strtof strtold atoi atol atoll atof a64l"
    " __strtol_internal __strtoul_internal __isoc23_strtol __isoc23_strtoul __isoc23_strtoll __isoc23_strtoull"
    " __strtod_l __strtof_l strtold_l __strtold_l strtod_l strtof_l __strcoll_l __strxfrm_l __strftime_l"
    " __nl_langinfo_l localeconv newlocale ",
    " sprintf snprintf vsprintf vsnprintf sscanf vsscanf __isoc99_sscanf __isoc23_sscanf __isoc99_vsscanf"
    " __isoc23_vsscanf __sprintf_chk __snprintf_chk __vsprintf_chk __vsnprintf_chk swprintf vswprintf"
    " abs labs llabs imaxabs div ldiv lldiv imaxdiv bsearch time clock gettimeofday clock_gettime timespec_get"
    " difftime gmtime_r timegm setjmp _setjmp __sigsetjmp longjmp _longjmp siglongjmp __longjmp_chk"
    " pthread_mutex_lock pthread_mutex_unlock pthread_once __pthread_key_create pthread_self sched_yield"
    " _dl_find_object __cxa_finalize __gmon_start__ _ITM_deregisterTMCloneTable"
    " _ITM_registerTMCloneTable __cxa_pure_virtual ",
};

/* Roots of libm's names, also with `f` and `l` behind them. */
static const char opcost__mathematics[] =
    " sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh sincos exp exp2 exp10 expm1 log log2 log10"
    " log1p logb ilogb pow sqrt cbrt hypot fabs floor ceil round roundeven trunc rint nearbyint lrint llrint lround"
    " llround fmod remainder remquo drem modf frexp ldexp scalbn scalbln erf erfc tgamma fmin fmax fdim fma copysign"
    " nextafter nexttoward nan significand pow10 j0 j1 jn y0 y1 yn finite isnan isinf __finite __isnan __isinf"
    " __signbit __fpclassify __issignaling cabs carg cexp clog cpow csqrt csin ccos ctan creal cimag conj cproj"
    " casin cacos catan csinh ccosh ctanh casinh cacosh catanh lgamma_r ";

static const char opcost__needed[] =
    " libc.so.6 libm.so.6 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 ld-linux-riscv64-lp64d.so.1"
    " libpthread.so.0 libdl.so.2 librt.so.1 ";

static int opcost__lists(const char *list, const char *name, size_t length) {
  for (const char *at = list; length && (at = strstr(at, name)) != NULL; at += length)
    if (at[-1] == ' ' && at[length] == ' ') return 1;
  return 0;
}

static int opcost__is_allowed(const char *name, const char *const *more) {
  size_t length = strlen(name);
  char root[32];
  for (size_t i = 0; i < sizeof opcost__allowed / sizeof *opcost__allowed; i++)
    if (opcost__lists(opcost__allowed[i], name, length)) return 1;
  if (opcost__lists(opcost__mathematics, name, length)) return 1;
  if (length > 1 && length < sizeof root && (name[length - 1] == 'f' || name[length - 1] == 'l')) {
    memcpy(root, name, length - 1);
    root[length - 1] = 0;
    if (opcost__lists(opcost__mathematics, root, length - 1)) return 1;
  }
  for (; more && *more; more++)
    if (strcmp(*more, name) == 0) return 1;
  return 0;
}

/* A file in memory, and what was found in it. */
struct opcost__file {
  const char *bytes;
  size_t size;
  const Elf64_Phdr *headers;
  size_t header_count;
  /* Addresses before the file is loaded. */
  uint64_t text_low, text_high;
  /* Bytes of writable data. */
  uint64_t data;
  char *reason;
  size_t reason_size;
};

static int opcost__no(struct opcost__file *file, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (file->reason_size) vsnprintf(file->reason, file->reason_size, format, arguments);
  va_end(arguments);
  return 0;
}

/* What lies at an address of the image, if that much of it is in the file. */
static const char *opcost__at(const struct opcost__file *file, uint64_t address, uint64_t size) {
  for (size_t i = 0; i < file->header_count; i++) {
    const Elf64_Phdr *header = &file->headers[i];
    if (header->p_type != PT_LOAD || address < header->p_vaddr || address - header->p_vaddr > header->p_filesz) continue;
    uint64_t into = address - header->p_vaddr;
    if (size > header->p_filesz - into || header->p_offset > file->size) continue;
    if (header->p_filesz > file->size - header->p_offset) continue;
    return file->bytes + header->p_offset + into;
  }
  return NULL;
}

static int opcost__examine_headers(struct opcost__file *file, const Elf64_Dyn **dynamic, size_t *entries) {
#if defined(__x86_64__)
  const unsigned machine = EM_X86_64;
#elif defined(__aarch64__)
  const unsigned machine = EM_AARCH64;
#elif defined(__riscv)
  const unsigned machine = EM_RISCV;
#else
  const unsigned machine = EM_NONE;
#endif
  const Elf64_Ehdr *head = (const Elf64_Ehdr *)file->bytes;
  int has_stack = 0;
  if (file->size < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64 ||
      head->e_type != ET_DYN)
    return opcost__no(file, "not a plug-in; make one with: opcost fuel --emit shared");
  if (machine != EM_NONE && head->e_machine != machine) return opcost__no(file, "made for another machine");
  if (head->e_phentsize != sizeof(Elf64_Phdr) || head->e_phoff % 8 || head->e_phoff > file->size ||
      head->e_phnum > (file->size - head->e_phoff) / sizeof(Elf64_Phdr))
    return opcost__no(file, "damaged: its program headers are not there");
  file->headers = (const Elf64_Phdr *)(file->bytes + head->e_phoff);
  file->header_count = head->e_phnum;
  *dynamic = NULL;
  file->text_low = UINT64_MAX;
  for (size_t i = 0; i < file->header_count; i++) {
    const Elf64_Phdr *header = &file->headers[i];
    if (header->p_type == PT_DYNAMIC) {
      *dynamic = (const Elf64_Dyn *)opcost__at(file, header->p_vaddr, header->p_filesz);
      *entries = header->p_filesz / sizeof(Elf64_Dyn);
    } else if (header->p_type == PT_TLS && header->p_memsz > 0) {
      return opcost__no(file, "it has thread-local variables of a library, which instances would share");
    } else if (header->p_type == PT_GNU_STACK) {
      has_stack = !(header->p_flags & PF_X);
    } else if (header->p_type == PT_LOAD) {
      uint64_t end = header->p_vaddr + header->p_memsz;
      if (end < header->p_vaddr) return opcost__no(file, "damaged: a segment has no end");
      if (header->p_flags & PF_W) file->data += header->p_memsz;
      if (!(header->p_flags & PF_X)) continue;
      if (header->p_flags & PF_W) return opcost__no(file, "its code could be written to");
      if (header->p_vaddr < file->text_low) file->text_low = header->p_vaddr;
      if (end > file->text_high) file->text_high = end;
    }
  }
  if (!has_stack) return opcost__no(file, "it wants a stack that can be run as code");
  if (*dynamic == NULL || file->text_low >= file->text_high) return opcost__no(file, "damaged: it has no code or no symbols");
  return 1;
}

/* Relocations that call a function of the file while it is loaded. */
static int opcost__resolves(const struct opcost__file *file, uint64_t table, uint64_t size) {
  const Elf64_Rela *list = (const Elf64_Rela *)opcost__at(file, table, size);
#if defined(__x86_64__)
  const uint32_t call = R_X86_64_IRELATIVE;
#elif defined(__aarch64__)
  const uint32_t call = R_AARCH64_IRELATIVE;
#else
  const uint32_t call = 58; /* R_RISCV_IRELATIVE */
#endif
  for (uint64_t i = 0; list && i < size / sizeof *list; i++)
    if (ELF64_R_TYPE(list[i].r_info) == call) return 1;
  return 0;
}

/* Looks at all that the file names; the descriptor's file position or null. */
static const struct opcost_plugin *opcost__examine_symbols(struct opcost__file *file, const Elf64_Dyn *dynamic,
                                                           size_t entries, const char *const *more) {
  uint64_t symbols = 0, strings = 0, strings_size = 0, hash = 0, rela = 0, rela_size = 0, plt = 0, plt_size = 0;
  for (size_t i = 0; i < entries && dynamic[i].d_tag != DT_NULL; i++) {
    uint64_t value = dynamic[i].d_un.d_val;
    switch (dynamic[i].d_tag) {
    case DT_SYMTAB: symbols = value; break;
    case DT_STRTAB: strings = value; break;
    case DT_STRSZ: strings_size = value; break;
    case DT_HASH: hash = value; break;
    case DT_RELA: rela = value; break;
    case DT_RELASZ: rela_size = value; break;
    case DT_JMPREL: plt = value; break;
    case DT_PLTRELSZ: plt_size = value; break;
    default: break;
    }
  }
  const uint32_t *counts = hash ? (const uint32_t *)opcost__at(file, hash, 8) : NULL;
  const char *texts = strings_size ? opcost__at(file, strings, strings_size) : NULL;
  const Elf64_Sym *list =
      counts && symbols ? (const Elf64_Sym *)opcost__at(file, symbols, (uint64_t)counts[1] * sizeof(Elf64_Sym)) : NULL;
  const char *descriptor = NULL;
  if (list == NULL || texts == NULL || texts[strings_size - 1] != 0) {
    opcost__no(file, "not a plug-in; make one with: opcost fuel --emit shared");
    return NULL;
  }
  for (size_t i = 1; i < counts[1]; i++) {
    const Elf64_Sym *symbol = &list[i];
    if (symbol->st_name >= strings_size) continue;
    const char *name = texts + symbol->st_name;
    if (symbol->st_shndx == SHN_UNDEF) {
      if (opcost__is_allowed(name, more)) continue;
      opcost__no(file, "it imports %s, which is not allowed", name);
      return NULL;
    }
    if (ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC || ELF64_ST_BIND(symbol->st_info) == STB_GNU_UNIQUE) {
      opcost__no(file, "it cannot be loaded more than once: %s", name);
      return NULL;
    }
    if (strcmp(name, "opcost_plugin") == 0) descriptor = opcost__at(file, symbol->st_value, sizeof(struct opcost_plugin));
  }
  for (size_t i = 0; i < entries && dynamic[i].d_tag != DT_NULL; i++)
    if (dynamic[i].d_tag == DT_NEEDED && dynamic[i].d_un.d_val < strings_size) {
      const char *name = texts + dynamic[i].d_un.d_val;
      if (opcost__lists(opcost__needed, name, strlen(name))) continue;
      opcost__no(file, "it needs the library %s, which instances would share", name);
      return NULL;
    }
  if (opcost__resolves(file, rela, rela_size) || opcost__resolves(file, plt, plt_size)) {
    opcost__no(file, "it has a function that would run while it is loaded (ifunc)");
    return NULL;
  }
  if (descriptor == NULL) opcost__no(file, "not metered; make it with: opcost fuel --emit shared");
  return (const struct opcost_plugin *)descriptor;
}

/* Whether the file may be loaded; else the reason is written. */
static int opcost__examine(struct opcost__file *file, const char *const *more) {
  const Elf64_Dyn *dynamic;
  struct opcost_plugin plugin;
  size_t entries = 0;
  if (!opcost__examine_headers(file, &dynamic, &entries)) return 0;
  const struct opcost_plugin *found = opcost__examine_symbols(file, dynamic, entries, more);
  if (found == NULL) return 0;
  memcpy(&plugin, found, sizeof plugin);
  if (plugin.magic != OPCOST_PLUGIN_MAGIC) return opcost__no(file, "not metered; make it with: opcost fuel --emit shared");
  if (plugin.version != OPCOST_PLUGIN_VERSION || plugin.size != sizeof plugin)
    return opcost__no(file, "made by another version of opcost (plug-in version %u, this host's is %u)", plugin.version,
                      OPCOST_PLUGIN_VERSION);
  return 1;
}
