// Exceptions through frames that own things, and the standard containers.
//
// A made-up bank books transfers between accounts. Every seventh transfer or
// so fails: some throw from three frames down, through destructors that undo
// what was begun, some are caught and thrown again, some leave a constructor.
// Between them std::map, std::vector, std::sort and std::string do what they
// do in programs.
//
//     exceptions [TRANSFERS]
//
// Prints what was booked, undone and refused; the same in every build.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

std::uint64_t random_state = 20261121;

std::uint32_t next_random() {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(random_state >> 33);
}

struct Refused : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Accounts {
    std::map<std::string, std::int64_t> balance;
    unsigned undone = 0;

    std::int64_t &at(const std::string &name) {
        auto found = balance.find(name);
        if (found == balance.end()) throw std::out_of_range(name);
        return found->second;
    }
};

// Takes money at once and gives it back unless it is told to keep it.
class Withdrawal {
  public:
    Withdrawal(Accounts &accounts, const std::string &from, std::int64_t cents)
        : accounts_(accounts), from_(from), cents_(cents) {
        std::int64_t &balance = accounts.at(from);
        if (balance < cents) throw Refused("not enough in " + from);
        balance -= cents;
    }
    Withdrawal(const Withdrawal &) = delete;
    Withdrawal &operator=(const Withdrawal &) = delete;
    ~Withdrawal() {
        if (kept_) return;
        accounts_.balance[from_] += cents_;
        accounts_.undone++;
    }
    void keep() { kept_ = true; }

  private:
    Accounts &accounts_;
    std::string from_;
    std::int64_t cents_;
    bool kept_ = false;
};

void deposit(Accounts &accounts, const std::string &to, std::int64_t cents) {
    if (cents % 11 == 0) throw cents;
    accounts.at(to) += cents;
}

void transfer(Accounts &accounts, const std::string &from, const std::string &to, std::int64_t cents) {
    Withdrawal withdrawal(accounts, from, cents);
    try {
        deposit(accounts, to, cents);
    } catch (std::int64_t odd) {
        if (odd % 2 == 0) throw;
        deposit(accounts, to, odd - 1);
    }
    withdrawal.keep();
}

std::string name_of(std::uint32_t number) { return "account-" + std::to_string(number); }

} // namespace

int main(int argc, char **argv) {
    long transfers = argc > 1 ? std::atol(argv[1]) : 240000;
    Accounts accounts;
    for (std::uint32_t n = 0; n < 500; n++) accounts.balance[name_of(n)] = 50000;
    std::map<std::string, unsigned> outcome;
    for (long n = 0; n < transfers; n++) {
        std::string from = name_of(next_random() % 500), to = name_of(next_random() % 520);
        try {
            transfer(accounts, from, to, 1 + next_random() % 4000);
            outcome["booked"]++;
        } catch (const Refused &) {
            outcome["refused"]++;
        } catch (const std::out_of_range &) {
            outcome["unknown"]++;
        } catch (...) {
            outcome["returned"]++;
        }
    }
    std::vector<std::pair<std::int64_t, std::string>> ranking;
    for (const auto &[name, cents] : accounts.balance) ranking.emplace_back(cents, name);
    std::sort(ranking.begin(), ranking.end(), std::greater<>());
    for (const auto &[what, times] : outcome) std::printf("%s %u\n", what.c_str(), times);
    std::printf("undone %u, richest %s with %lld\n", accounts.undone, ranking[0].second.c_str(),
                static_cast<long long>(ranking[0].first));
    return 0;
}
