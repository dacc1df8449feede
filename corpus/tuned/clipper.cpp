// Clipper 6 at work: stars are united, cut, subtracted and made wider.
//
// Polygons are stars with random points around random centres. Half of them are the subject, half the clip.
// Every operation and both filling rules run on them, and the united shape grows and shrinks. KIND 0 has few
// large stars that overlap much, KIND 1 many small ones.
//
//     clipper ROUNDS [SEED [KIND]]
//
// Prints the number of polygons and a checksum of their corners.
#include "clipper.hpp"
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

using namespace ClipperLib;

namespace {

std::uint64_t state = 1;

std::uint32_t below(std::uint32_t limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state >> 33) % limit;
}

Path star(cInt field, cInt size, int corners) {
    Path path;
    const cInt x = below(static_cast<std::uint32_t>(field)), y = below(static_cast<std::uint32_t>(field));
    for (int corner = 0; corner < corners; corner++) {
        const double angle = 2 * 3.14159265358979 * corner / corners;
        const double radius = static_cast<double>(size) * (corner % 2 ? 0.4 : 1.0) * (0.7 + below(300) / 1000.0);
        path << IntPoint(x + static_cast<cInt>(std::lround(radius * std::cos(angle))),
                         y + static_cast<cInt>(std::lround(radius * std::sin(angle))));
    }
    return path;
}

struct Sum {
    std::uint64_t value = 14695981039346656037u;
    std::size_t polygons = 0;

    void add(const Paths &paths) {
        polygons += paths.size();
        for (const Path &path : paths)
            for (const IntPoint &point : path)
                value = (value ^ static_cast<std::uint64_t>(point.X * 31 + point.Y)) * 1099511628211u;
    }
};

} // namespace

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 10;
    state = argc > 2 ? static_cast<std::uint64_t>(std::atoi(argv[2])) : 1;
    const bool many = argc > 3 && std::atoi(argv[3]) == 1;
    const int stars = many ? 60 : 12, corners = many ? 12 : 60;
    const cInt field = 100000, size = many ? 8000 : 40000;
    Sum sum;
    for (int round = 0; round < rounds; round++) {
        Paths subject, clip;
        for (int number = 0; number < stars; number++) (number % 2 ? subject : clip) << star(field, size, corners);
        for (const ClipType type : {ctUnion, ctIntersection, ctDifference, ctXor}) {
            for (const PolyFillType fill : {pftEvenOdd, pftNonZero}) {
                Clipper clipper;
                clipper.AddPaths(subject, ptSubject, true);
                clipper.AddPaths(clip, ptClip, true);
                Paths solution;
                if (!clipper.Execute(type, solution, fill, fill)) return 1;
                sum.add(solution);
                if (type != ctUnion) continue;
                for (const double delta : {700.0, -500.0}) {
                    ClipperOffset offset(2.0, 20.0);
                    offset.AddPaths(solution, delta > 0 ? jtRound : jtMiter, etClosedPolygon);
                    Paths grown;
                    offset.Execute(grown, delta);
                    sum.add(grown);
                }
            }
        }
    }
    std::printf("%zu polygons, checksum %016llx\n", sum.polygons, static_cast<unsigned long long>(sum.value));
}
