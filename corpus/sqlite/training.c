/* SQLite trained: other statements on other tables than those of driver.c.
 *
 * A profile is made of this program and judged by that one, so that what is
 * measured is what a profile is worth for work it has not seen. Rows of a parcel
 * service: inserted, looked up by index, joined, sorted, updated, aggregated,
 * searched; no statement and no table is driver.c's.
 *
 *     training [ROWS]
 */
#include "sqlite3.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state = 977u;

static uint32_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 20);
}

static void check(sqlite3 *db, int status, const char *doing) {
    if (status == SQLITE_OK || status == SQLITE_DONE || status == SQLITE_ROW) return;
    fprintf(stderr, "sqlite training: %s: %s\n", doing, sqlite3_errmsg(db));
    exit(1);
}

static void execute(sqlite3 *db, const char *sql) { check(db, sqlite3_exec(db, sql, NULL, NULL, NULL), sql); }

/* Runs a query to its end and prints how many rows it gave and their bytes. */
static void query(sqlite3 *db, const char *sql) {
    sqlite3_stmt *select;
    check(db, sqlite3_prepare_v2(db, sql, -1, &select, NULL), sql);
    unsigned rows = 0;
    uint64_t bytes = 0;
    while (sqlite3_step(select) == SQLITE_ROW) {
        rows++;
        for (int column = 0; column < sqlite3_column_count(select); column++)
            if (sqlite3_column_text(select, column)) bytes += (uint64_t)sqlite3_column_bytes(select, column);
    }
    check(db, sqlite3_finalize(select), sql);
    printf("%u rows, %llu bytes\n", rows, (unsigned long long)bytes);
}

int main(int argc, char **argv) {
    int rows = argc > 1 ? atoi(argv[1]) : 50000;
    sqlite3 *db;
    check(NULL, sqlite3_open(":memory:", &db), "open");
    execute(db, "CREATE TABLE parcel (code TEXT PRIMARY KEY, depot INTEGER, grams REAL, route TEXT, day INTEGER)");
    execute(db, "CREATE TABLE depot (number INTEGER PRIMARY KEY, name TEXT UNIQUE, x REAL, y REAL)");
    execute(db, "BEGIN");
    sqlite3_stmt *insert;
    check(db, sqlite3_prepare_v2(db, "INSERT INTO depot VALUES (?, ?, ?, ?)", -1, &insert, NULL), "prepare depot");
    for (int number = 0; number < 200; number++) {
        char name[24];
        snprintf(name, sizeof name, "depot-%03d", (number * 37) % 200);
        sqlite3_bind_int(insert, 1, number);
        sqlite3_bind_text(insert, 2, name, -1, SQLITE_TRANSIENT);
        sqlite3_bind_double(insert, 3, next() % 1000 / 7.0);
        sqlite3_bind_double(insert, 4, next() % 1000 / 3.0);
        check(db, sqlite3_step(insert), "insert depot");
        sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    check(db, sqlite3_prepare_v2(db, "INSERT OR IGNORE INTO parcel VALUES (?, ?, ?, ?, ?)", -1, &insert, NULL), "prepare");
    for (int row = 0; row < rows; row++) {
        char code[32], route[40];
        snprintf(code, sizeof code, "%08X-%04X", next(), next() % 65536);
        snprintf(route, sizeof route, "%c>%c>%c via hub %u", 'A' + next() % 26, 'A' + next() % 26, 'A' + next() % 26,
                 next() % 40);
        sqlite3_bind_text(insert, 1, code, -1, SQLITE_TRANSIENT);
        sqlite3_bind_int(insert, 2, (int)(next() % 200));
        sqlite3_bind_double(insert, 3, next() % 50000 / 10.0);
        sqlite3_bind_text(insert, 4, route, -1, SQLITE_TRANSIENT);
        sqlite3_bind_int(insert, 5, (int)(next() % 365));
        check(db, sqlite3_step(insert), "insert parcel");
        sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    execute(db, "COMMIT");
    execute(db, "CREATE INDEX parcel_by_day ON parcel (day, depot)");
    query(db, "SELECT name, total(grams), avg(grams), count(DISTINCT day) FROM parcel, depot WHERE depot = number "
              "GROUP BY depot ORDER BY name LIMIT 50");
    query(db, "SELECT code, grams FROM parcel WHERE day BETWEEN 100 AND 120 AND depot IN (3, 5, 8, 13, 21, 34) ORDER BY "
              "grams DESC");
    query(db, "SELECT substr(route, 1, 1) AS first, max(length(code) + grams) FROM parcel GROUP BY first");
    query(db, "SELECT a.name, b.name FROM depot a JOIN depot b ON a.number < b.number WHERE abs(a.x - b.x) + abs(a.y - "
              "b.y) < 20 ORDER BY a.name, b.name");
    execute(db, "UPDATE parcel SET route = route || '>' || depot, grams = round(grams, 0) WHERE day % 5 = 2");
    query(db, "SELECT route FROM parcel WHERE route LIKE 'Q%hub 3_>%' OR instr(route, 'Z>Z') > 0 ORDER BY route DESC");
    execute(db, "DELETE FROM parcel WHERE code < '20000000'");
    query(db, "SELECT day, sum(grams) OVER (ORDER BY day ROWS 50 PRECEDING) FROM parcel WHERE depot = 7");
    query(db, "WITH RECURSIVE days(d) AS (VALUES (0) UNION ALL SELECT d + 1 FROM days WHERE d < 364) SELECT d, (SELECT "
              "count(*) FROM parcel WHERE day = d) FROM days");
    check(db, sqlite3_close(db), "close");
    return 0;
}
