// Functions of the C library that write its variables: what reads those hangs on the call.
// -DCASE=0 to 11; each has loops that iterate by such a variable, or by what a call reads of the program.
#define _GNU_SOURCE
#include <math.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int sum;
static void loop(long n) {
    for (long i = 0; i < n; i++) {
        sum += (int)i;
        __asm__ volatile("");
    }
}

static void by_zone(void) {
    loop(timezone / 3600);
    loop(daylight + 2);
    for (const char *letter = tzname[0]; *letter; letter++)
        sum += *letter;
}

int main(int argc, char **argv) {
    time_t now = 1000000000;
    struct tm broken = {.tm_year = 100, .tm_mday = 1};
    char text[64];
    double number = argc > 1 ? atof(argv[1]) : -0.5;
    setenv("TZ", "XYZ5ABC", 1);
    switch (CASE) {
    case 0:
        lgamma(number);
        loop(signgam < 0 ? 5 : 9);
        break;
    case 1:
        lgammaf((float)number);
        loop(signgam < 0 ? 5 : 9);
        break;
    case 2:
        localtime_r(&now, &broken);
        by_zone();
        break;
    case 3:
        mktime(&broken);
        by_zone();
        break;
    case 4:
        strftime(text, sizeof text, "%Z", &broken);
        by_zone();
        break;
    case 5:
        tzset();
        by_zone();
        break;
    case 7: {
        FILE *file = tmpfile();
        fpos_t first, second;
        fputs("abcdefg", file);
        rewind(file);
        fgetpos(file, &first);
        getc(file);
        second = first;
        fsetpos(file, &second);
        while (getc(file) != EOF)
            loop(2);
        break;
    }
    case 8: {
        char name[20];
        snprintf(name, sizeof name, "ABC%s", argc > 1 ? argv[1] : "DEF");
        broken.tm_zone = name;
        loop((long)strftime(text, sizeof text, "%Z", &broken));
        break;
    }
    case 9: {
        struct timespec wait = {0, 2000000000};
        loop(clock_nanosleep(CLOCK_REALTIME, 0, &wait, NULL) ? 7 : 2);
        wait.tv_nsec = argc;
        loop(clock_nanosleep(CLOCK_REALTIME, 0, &wait, NULL) ? 7 : 2);
        break;
    }
    case 10: {
        FILE *file = tmpfile();
        size_t size = 50;
        char *line = malloc(size);
        fputs("abcdefg\n", file);
        rewind(file);
        loop(getline(&line, &size, file));
        loop((long)size);
        break;
    }
    default:
        while (getopt(argc, argv, "a") != -1)
            sum++;
        loop(optind + 3);
    }
    printf("%d\n", sum);
}
