// Functions of the C library that write its variables: what reads those hangs on the call.
// -DCASE=0 to 6; each has loops that iterate by such a variable.
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
    default:
        while (getopt(argc, argv, "a") != -1)
            sum++;
        loop(optind + 3);
    }
    printf("%d\n", sum);
}
