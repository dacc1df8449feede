// Streams of a portable program: what stream.c, print.c and scan.c have.
//
// The first members of a stream are where the GNU C library has them, for bitcode
// that was compiled with its headers.
#pragma once
#include <stdarg.h>
#include <stddef.h>
#include <sys/types.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct _IO_FILE {
  int _flags;
  char *_IO_read_ptr, *_IO_read_end, *_IO_read_base;
  char *_IO_write_base, *_IO_write_ptr, *_IO_write_end;
  int _fileno;
} FILE;

extern FILE *stdin, *stdout, *stderr;
#define stdin stdin
#define stdout stdout
#define stderr stderr

#define EOF (-1)
#define BUFSIZ 8192
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define FILENAME_MAX 4096
#define FOPEN_MAX 16
#define TMP_MAX 238328
#define L_tmpnam 20

// The states of conversions and places in files: only their names are used.
typedef struct { int opc_count; union { unsigned opc_wide; char opc_bytes[4]; } opc_value; } __mbstate_t;
typedef struct { long opc_place; __mbstate_t opc_state; } fpos_t;

int printf(const char *, ...) __attribute__((format(printf, 1, 2)));
int fprintf(FILE *, const char *, ...) __attribute__((format(printf, 2, 3)));
int sprintf(char *, const char *, ...) __attribute__((format(printf, 2, 3)));
int snprintf(char *, size_t, const char *, ...) __attribute__((format(printf, 3, 4)));
int scanf(const char *, ...) __attribute__((format(scanf, 1, 2)));
int fscanf(FILE *, const char *, ...) __attribute__((format(scanf, 2, 3)));
int sscanf(const char *, const char *, ...) __attribute__((format(scanf, 2, 3)));
int vprintf(const char *, va_list);
int vfprintf(FILE *, const char *, va_list);
int vsprintf(char *, const char *, va_list);
int vsnprintf(char *, size_t, const char *, va_list);

int getc(FILE *);
int getchar(void);
int fgetc(FILE *);
int ungetc(int, FILE *);
char *fgets(char *, int, FILE *);
size_t fread(void *, size_t, size_t, FILE *);
int putc(int, FILE *);
int putchar(int);
int fputc(int, FILE *);
int puts(const char *);
int fputs(const char *, FILE *);
size_t fwrite(const void *, size_t, size_t, FILE *);
int feof(FILE *);
int ferror(FILE *);
void clearerr(FILE *);
int fflush(FILE *);
void setbuf(FILE *, char *);
int setvbuf(FILE *, char *, int, size_t);

// There is one thread, so nothing is locked in any case.
int getc_unlocked(FILE *) __asm__("getc");
int getchar_unlocked(void) __asm__("getchar");
int fgetc_unlocked(FILE *) __asm__("fgetc");
char *fgets_unlocked(char *, int, FILE *) __asm__("fgets");
size_t fread_unlocked(void *, size_t, size_t, FILE *) __asm__("fread");
int putc_unlocked(int, FILE *) __asm__("putc");
int putchar_unlocked(int) __asm__("putchar");
int fputc_unlocked(int, FILE *) __asm__("fputc");
int fputs_unlocked(const char *, FILE *) __asm__("fputs");
size_t fwrite_unlocked(const void *, size_t, size_t, FILE *) __asm__("fwrite");
int feof_unlocked(FILE *) __asm__("feof");
int ferror_unlocked(FILE *) __asm__("ferror");
int fflush_unlocked(FILE *) __asm__("fflush");

// Not there; declared, so that whoever uses them is told by name.
FILE *fopen(const char *, const char *);
FILE *freopen(const char *, const char *, FILE *);
int fclose(FILE *);
int fseek(FILE *, long, int);
long ftell(FILE *);
void rewind(FILE *);
int remove(const char *);
int rename(const char *, const char *);
void perror(const char *);
char *gets(char *);
FILE *fdopen(int, const char *);
FILE *tmpfile(void);
char *tmpnam(char *);
int fileno(FILE *);
int fgetpos(FILE *, fpos_t *);
int fsetpos(FILE *, const fpos_t *);
int fseeko(FILE *, off_t, int);
off_t ftello(FILE *);
ssize_t getline(char **, size_t *, FILE *);
ssize_t getdelim(char **, size_t *, int, FILE *);
int asprintf(char **, const char *, ...) __attribute__((format(printf, 2, 3)));
int vasprintf(char **, const char *, va_list);
int vscanf(const char *, va_list);
int vfscanf(FILE *, const char *, va_list);
int vsscanf(const char *, const char *, va_list);

#ifdef __cplusplus
}
#endif
