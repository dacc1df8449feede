/* SQLite at work: the statements an application sends, in one process.
 *
 * An in-memory database gets two tables, one of them of ROWS rows inserted
 * through a prepared statement in one transaction; then a join with grouping
 * and ordering, an indexed update, a delete, a recursive common table
 * expression and a text search run over it.
 *
 *     sqlite [ROWS]
 *
 * Each query prints one line with its number of rows and a checksum over
 * every value it returned. Values come from a fixed generator, no time and
 * no address enters them, so every build prints the same lines.
 */
#include "sqlite3.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t random_state = 20261121u;

static uint32_t next_random(void) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33);
}

static void check(sqlite3 *db, int status, const char *doing) {
    if (status == SQLITE_OK || status == SQLITE_DONE || status == SQLITE_ROW) return;
    fprintf(stderr, "sqlite driver: %s: %s\n", doing, sqlite3_errmsg(db));
    exit(1);
}

static void execute(sqlite3 *db, const char *sql) {
    check(db, sqlite3_exec(db, sql, NULL, NULL, NULL), sql);
}

static void insert_shops(sqlite3 *db, int shops) {
    static const char *const towns[] = {"Aalen", "Bochum", "Celle", "Dresden", "Emden", "Fulda", "Gotha"};
    sqlite3_stmt *insert;
    check(db, sqlite3_prepare_v2(db, "INSERT INTO shop VALUES (?1, ?2)", -1, &insert, NULL), "prepare shop");
    for (int id = 0; id < shops; id++) {
        sqlite3_bind_int(insert, 1, id);
        sqlite3_bind_text(insert, 2, towns[next_random() % 7], -1, SQLITE_STATIC);
        check(db, sqlite3_step(insert), "insert shop");
        sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
}

static void insert_sales(sqlite3 *db, int rows, int shops) {
    sqlite3_stmt *insert;
    check(db, sqlite3_prepare_v2(db, "INSERT INTO sale VALUES (?1, ?2, ?3, ?4)", -1, &insert, NULL), "prepare sale");
    for (int id = 0; id < rows; id++) {
        char note[32];
        int length = snprintf(note, sizeof note, "item %u of %u", next_random() % 1000, next_random() % 97);
        sqlite3_bind_int(insert, 1, id);
        sqlite3_bind_int(insert, 2, (int)(next_random() % (uint32_t)shops));
        sqlite3_bind_int(insert, 3, (int)(next_random() % 10000));
        sqlite3_bind_text(insert, 4, note, length, SQLITE_TRANSIENT);
        check(db, sqlite3_step(insert), "insert sale");
        sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
}

/* Runs a query to its end and prints how many rows it gave and a checksum. */
static void query(sqlite3 *db, const char *name, const char *sql) {
    sqlite3_stmt *select;
    check(db, sqlite3_prepare_v2(db, sql, -1, &select, NULL), name);
    uint64_t sum = 14695981039346656037u;
    unsigned rows = 0;
    int status;
    while ((status = sqlite3_step(select)) == SQLITE_ROW) {
        rows++;
        for (int column = 0; column < sqlite3_column_count(select); column++) {
            const unsigned char *text = sqlite3_column_text(select, column);
            for (; text && *text; text++) sum = (sum ^ *text) * 1099511628211u;
        }
    }
    check(db, status, name);
    sqlite3_finalize(select);
    printf("%-8s %6u rows  %016llx\n", name, rows, (unsigned long long)sum);
}

int main(int argc, char **argv) {
    int rows = argc > 1 ? atoi(argv[1]) : 70000, shops = rows / 40 + 1;
    sqlite3 *db;
    check(NULL, sqlite3_open(":memory:", &db), "open");
    execute(db, "CREATE TABLE shop (id INTEGER PRIMARY KEY, town TEXT)");
    execute(db, "CREATE TABLE sale (id INTEGER PRIMARY KEY, shop INTEGER, cents INTEGER, note TEXT)");
    execute(db, "BEGIN");
    insert_shops(db, shops);
    insert_sales(db, rows, shops);
    execute(db, "COMMIT");
    query(db, "join", "SELECT town, count(*), sum(cents), max(note) FROM sale JOIN shop ON shop.id = sale.shop "
                      "GROUP BY town ORDER BY sum(cents) DESC");
    execute(db, "CREATE INDEX sale_by_shop ON sale (shop, cents)");
    query(db, "index", "SELECT shop, sum(cents) FROM sale WHERE shop % 3 = 0 GROUP BY shop HAVING sum(cents) > 1000");
    execute(db, "UPDATE sale SET cents = cents * 2 + 1 WHERE shop IN (SELECT id FROM shop WHERE town < 'D')");
    execute(db, "DELETE FROM sale WHERE cents BETWEEN 500 AND 900");
    query(db, "cte", "WITH RECURSIVE walk(n, x) AS (SELECT 1, 7 UNION ALL SELECT n + 1, (x * 75 + 74) % 65537 FROM walk "
                     "WHERE n < 5000) SELECT sum(x), max(n) FROM walk");
    query(db, "like", "SELECT id, upper(note) FROM sale WHERE note LIKE '%7% of 1_' ORDER BY note, id LIMIT 500");
    check(db, sqlite3_close(db), "close");
    return 0;
}
