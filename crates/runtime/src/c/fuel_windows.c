// How does a metered program get its fuel on Windows?
//
// As in fuel.c, from the file that OPCOST_FUEL names; but a file cannot be
// mapped over a program's own data there, so the page is read at the start and
// written back at the end: at an exit, when the fuel is used up, and by a filter
// when the program crashes. A program that another one ends tells nothing.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include "fuel_page.h"

struct opc_fuel_page opc_fuel_memory = {.left = OPC_FULL, .seen = OPC_FULL};
extern int64_t opc_fuel __attribute__((alias("opc_fuel_memory")));
#define page (&opc_fuel_memory)

static char path[4096];

static void copy(char *to, size_t size, const char *from) {
  size_t at = 0;
  for (; at + 1 < size && from[at]; at++) to[at] = from[at];
  to[at] = 0;
}

static void give_back(void) {
  FILE *file = *path ? fopen(path, "r+b") : NULL;
  if (!file) return;
  fwrite(page, sizeof *page, 1, file);
  fclose(file);
}

static LONG WINAPI crashed(EXCEPTION_POINTERS *what) {
  DWORD code = what->ExceptionRecord->ExceptionCode;
  page->state = code == EXCEPTION_STACK_OVERFLOW ? OPC_STACK : OPC_CRASHED;
  page->line = code;
  give_back();
  ExitProcess(4);
}

static void aborted(int number) {
  page->state = OPC_CRASHED;
  page->line = number == SIGABRT ? 6 : (uint32_t)number; // as elsewhere
  give_back();
  _exit(4);
}

// Before the program's own constructors.
__attribute__((constructor(101))) static void opc_fuel_start(void) {
  const char *named = getenv("OPCOST_FUEL");
  if (!named || !*named) return;
  copy(path, sizeof path, named);
  struct opc_fuel_page given;
  FILE *file = fopen(path, "rb");
  if (!file || fread(&given, sizeof given, 1, file) != 1) {
    fprintf(stderr, "opcost: cannot use the fuel file %s\n", path);
    _exit(127);
  }
  fclose(file);
  page->limit = given.limit;
  page->left = given.limit - (OPC_FULL - page->left);
  copy(page->magic, sizeof page->magic, "OPCFUEL");
  page->magic[7] = '1';
  // Room for the filter when the stack is full.
  ULONG room = 65536;
  SetThreadStackGuarantee(&room);
  SetUnhandledExceptionFilter(crashed);
  signal(SIGABRT, aborted);
  atexit(give_back);
}

__attribute__((preserve_most, cold)) void opc_fuel_used_up(const struct opc_site *site) {
  page->left_at_stop = page->left;
  page->line = site->line;
  copy(page->function, sizeof page->function, site->function);
  copy(page->file, sizeof page->file, site->file);
  page->state = OPC_USED_UP;
  page->left = OPC_FULL;
  give_back();
  fflush(NULL);
  _exit(3);
}
