// What do a portable program's streams cost?
//
// Each byte what the instructions here cost, whatever the machine's own library
// does with it. The structures begin as the GNU C library's, since bitcode made with
// its headers looks into them. The input is asked for byte by byte: how many arrive at once is chance,
// and must cost nothing. For the same reason what is written is collected by the
// world, where it also outlives a program that is stopped.
#include "portable.h"

#define OPC_EOF 0x10
#define OPC_FAILED 0x20

static char opc_pushed_back[8];

static FILE opc_input = {._fileno = 0};
static FILE opc_output = {._fileno = 1};
static FILE opc_errors = {._fileno = 2};

FILE *stdin = &opc_input;
FILE *stdout = &opc_output;
FILE *stderr = &opc_errors;

void opc_write(FILE *stream, const char *bytes, size_t count) {
  if (stream == &opc_input) {
    stream->_flags |= OPC_FAILED;
    return;
  }
  opc_world_put(stream->_fileno, bytes, (int64_t)count);
}

int opc_read(FILE *stream) {
  if (stream->_IO_read_ptr < stream->_IO_read_end) return (unsigned char)*stream->_IO_read_ptr++;
  if (stream != &opc_input) {
    stream->_flags |= OPC_FAILED;
    return EOF;
  }
  int64_t byte = stream->_flags & OPC_EOF ? -1 : opc_world_get();
  if (byte < 0) stream->_flags |= OPC_EOF;
  return (int)byte;
}

int LIBRARY(ungetc)(int byte, FILE *stream) {
  if (byte == EOF) return EOF;
  if (stream->_IO_read_ptr == stream->_IO_read_end)
    stream->_IO_read_ptr = stream->_IO_read_end = opc_pushed_back + sizeof opc_pushed_back;
  if (stream->_IO_read_ptr == opc_pushed_back) return EOF;
  *--stream->_IO_read_ptr = (char)byte;
  stream->_flags &= ~OPC_EOF;
  return (unsigned char)byte;
}

// What the GNU C library's headers call when a buffer is empty or full.
int __uflow(FILE *stream) { return opc_read(stream); }
int __overflow(FILE *stream, int byte) {
  char written = (char)byte;
  opc_write(stream, &written, 1);
  return (unsigned char)byte;
}

int LIBRARY(fputc)(int byte, FILE *stream) { return __overflow(stream, byte); }
int LIBRARY(putc)(int byte, FILE *stream) { return __overflow(stream, byte); }
int LIBRARY(putchar)(int byte) { return __overflow(stdout, byte); }
int LIBRARY(fgetc)(FILE *stream) { return opc_read(stream); }
int LIBRARY(getc)(FILE *stream) { return opc_read(stream); }
int LIBRARY(getchar)(void) { return opc_read(stdin); }

int LIBRARY(fputs)(const char *text, FILE *stream) {
  opc_write(stream, text, LIBRARY(strlen)(text));
  return 1;
}

int LIBRARY(puts)(const char *line) {
  LIBRARY(fputs)(line, stdout);
  return __overflow(stdout, '\n');
}

size_t LIBRARY(fwrite)(const void *bytes, size_t size, size_t count, FILE *stream) {
  opc_write(stream, bytes, size * count);
  return count;
}

size_t LIBRARY(fread)(void *to, size_t size, size_t count, FILE *stream) {
  char *at = to;
  size_t wanted = size * count, have = 0;
  for (int byte; have < wanted && (byte = opc_read(stream)) != EOF; have++) at[have] = (char)byte;
  return size ? have / size : 0;
}

char *LIBRARY(fgets)(char *to, int size, FILE *stream) {
  int length = 0;
  for (int byte; length + 1 < size && (byte = opc_read(stream)) != EOF;) {
    to[length++] = (char)byte;
    if (byte == '\n') break;
  }
  if (length == 0) return NULL;
  to[length] = 0;
  return to;
}

int LIBRARY(feof)(FILE *stream) { return (stream->_flags & OPC_EOF) != 0; }
int LIBRARY(ferror)(FILE *stream) { return (stream->_flags & OPC_FAILED) != 0; }
void LIBRARY(clearerr)(FILE *stream) { stream->_flags &= ~(OPC_EOF | OPC_FAILED); }
void LIBRARY(setbuf)(FILE *stream, char *buffer) { (void)stream, (void)buffer; }
int LIBRARY(setvbuf)(FILE *stream, char *buffer, int mode, size_t size) {
  return (void)stream, (void)buffer, (void)mode, (void)size, 0;
}

int LIBRARY(fflush)(FILE *stream) {
  (void)stream;
  opc_world_flush();
  return 0;
}
