/* CaDiCaL at work: small problems of six kinds, one solver each.
 *
 * Random clauses near the threshold and well below it, more pigeons than
 * holes, colourings of a random graph, factors of a product through a
 * multiplier of gates, and systems of parities: they lean on search, local
 * search and each of the simplifications in different ways. The random ones
 * are then solved six more times under assumptions, with clauses added.
 *
 *     cadical [ROUNDS]
 */
#include "../generated.h"
#include "cadical.hpp"
#include <initializer_list>
#include <vector>

using CaDiCaL::Solver;

namespace {

constexpr int SATISFIABLE = 10, UNSATISFIABLE = 20;

/* A problem under construction and its number of variables so far. */
struct Problem {
    Solver &solver;
    int variables = 0;

    int variable() {
        return ++variables;
    }

    void clause(std::initializer_list<int> literals) {
        for (int literal : literals) solver.add(literal);
        solver.add(0);
    }

    int random_literal() {
        int variable = 1 + static_cast<int>(below(static_cast<uint32_t>(variables)));
        return below(2) ? variable : -variable;
    }

    int both(int a, int b) {
        int out = variable();
        clause({-out, a}), clause({-out, b}), clause({out, -a, -b});
        return out;
    }

    int either(int a, int b) {
        return -both(-a, -b);
    }

    int differ(int a, int b) {
        int out = variable();
        clause({-a, -b, -out}), clause({a, b, -out}), clause({a, -b, out}), clause({-a, b, out});
        return out;
    }
};

void add_random_clauses(Problem &problem, int variables, double clauses_each) {
    problem.variables = variables;
    for (int n = 0; n < static_cast<int>(variables * clauses_each); n++) {
        int a = problem.random_literal(), b = problem.random_literal(), c = problem.random_literal();
        problem.clause({a, b, c});
    }
}

/* One pigeon more than there are holes: no two share a hole. */
void add_pigeons(Problem &problem, int holes) {
    auto in = [holes](int pigeon, int hole) { return pigeon * holes + hole + 1; };
    problem.variables = (holes + 1) * holes;
    for (int pigeon = 0; pigeon <= holes; pigeon++) {
        for (int hole = 0; hole < holes; hole++) problem.solver.add(in(pigeon, hole));
        problem.solver.add(0);
    }
    for (int hole = 0; hole < holes; hole++) {
        for (int one = 0; one <= holes; one++) {
            for (int other = one + 1; other <= holes; other++) problem.clause({-in(one, hole), -in(other, hole)});
        }
    }
}

void add_colouring(Problem &problem, int nodes, int edges, int colours) {
    auto has = [colours](int node, int colour) { return node * colours + colour + 1; };
    problem.variables = nodes * colours;
    for (int node = 0; node < nodes; node++) {
        for (int colour = 0; colour < colours; colour++) problem.solver.add(has(node, colour));
        problem.solver.add(0);
        for (int one = 0; one < colours; one++) {
            for (int other = one + 1; other < colours; other++) problem.clause({-has(node, one), -has(node, other)});
        }
    }
    for (int edge = 0; edge < edges; edge++) {
        int from = static_cast<int>(below(nodes)), to = static_cast<int>(below(nodes));
        if (from == to) continue;
        for (int colour = 0; colour < colours; colour++) problem.clause({-has(from, colour), -has(to, colour)});
    }
}

/* Two numbers of `width` bits, neither of them 1, multiply to `product`. */
void add_factoring(Problem &problem, int width, uint64_t product) {
    std::vector<int> left, right;
    for (int bit = 0; bit < width; bit++) left.push_back(problem.variable());
    for (int bit = 0; bit < width; bit++) right.push_back(problem.variable());
    int zero = problem.variable();
    problem.clause({-zero});
    std::vector<int> total(2 * width, zero);
    for (int i = 0; i < width; i++) {
        int carry = zero;
        for (int j = 0; j < width; j++) {
            int bit = problem.both(left[i], right[j]), old = total[i + j];
            int half = problem.differ(bit, old);
            total[i + j] = problem.differ(half, carry);
            int first = problem.both(bit, old), second = problem.both(half, carry);
            carry = problem.either(first, second);
        }
        total[i + width] = carry;
    }
    for (int bit = 0; bit < 2 * width; bit++) problem.clause({product >> bit & 1 ? total[bit] : -total[bit]});
    for (const std::vector<int> &factor : {left, right}) {
        for (int bit = 1; bit < width; bit++) problem.solver.add(factor[bit]);
        problem.solver.add(0);
    }
}

void add_parities(Problem &problem, int variables, int equations) {
    problem.variables = variables;
    for (int n = 0; n < equations; n++) {
        int a = 1 + static_cast<int>(below(variables)), b = 1 + static_cast<int>(below(variables));
        int c = 1 + static_cast<int>(below(variables)), odd = static_cast<int>(below(2));
        if (a == b || b == c || a == c) continue;
        for (int signs = 0; signs < 8; signs++) {
            if (__builtin_popcount(signs) % 2 == odd) continue;
            problem.clause({signs & 1 ? -a : a, signs & 2 ? -b : b, signs & 4 ? -c : c});
        }
    }
}

/* Adds the problem of this kind; says whether to solve it repeatedly. */
bool add_problem(Problem &problem, int kind) {
    switch (kind) {
    case 0: add_random_clauses(problem, 140, 4.26); return true;
    case 1: add_pigeons(problem, 7); return false;
    case 2: add_colouring(problem, 120, 275, 3); return true;
    case 3: {
        uint64_t one = 257 + 2 * below(120), other = 263 + 2 * below(100);
        add_factoring(problem, 9, one * other);
        return false;
    }
    case 4: add_parities(problem, 60, 56); return false;
    default: add_random_clauses(problem, 300, 3.6); return true;
    }
}

uint64_t solve(Problem &problem, uint64_t sum) {
    int result = problem.solver.solve();
    check(result == SATISFIABLE || result == UNSATISFIABLE, "solve");
    sum = mix_number(sum, static_cast<uint64_t>(result));
    if (result == UNSATISFIABLE) return sum;
    for (int variable = 1; variable <= problem.variables; variable++) {
        sum = mix_number(sum, problem.solver.val(variable) > 0);
    }
    return sum;
}

uint64_t solve_under_assumptions(Problem &problem, uint64_t sum) {
    for (int time = 0; time < 6; time++) {
        for (int n = 0; n < 5; n++) problem.solver.assume(problem.random_literal());
        sum = solve(problem, sum);
        if (time == 3) problem.solver.simplify(1);
        else if (problem.solver.status() == SATISFIABLE) {
            int one = problem.random_literal(), other = problem.random_literal();
            problem.clause({one, other});
        }
    }
    return sum;
}

} // namespace

int main(int argc, char **argv) {
    int rounds = rounds_of(argc, argv, 190);
    uint64_t sum = 1;
    for (int round = 0; round < rounds; round++) {
        Solver solver;
        solver.set("quiet", 1);
        solver.set("seed", round);
        if (round % 9 == 7) solver.configure("sat");
        if (round % 9 == 8) solver.configure("unsat");
        Problem problem{solver};
        bool repeatedly = add_problem(problem, round % 6);
        sum = solve(problem, sum);
        if (repeatedly) sum = solve_under_assumptions(problem, sum);
    }
    print_checksum(sum);
    return 0;
}
