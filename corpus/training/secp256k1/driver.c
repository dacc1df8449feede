/* libsecp256k1 at work: keys, signatures and shared secrets.
 *
 * Each round makes a key, writes and reads it, signs and verifies by ECDSA
 * and reads the signature strictly and laxly; by turns it also recovers keys
 * from signatures, makes Schnorr signatures, agrees on a secret with the key
 * of the round before, adds and multiplies keys, and encodes keys so that
 * they look like noise (ElligatorSwift). Some signatures are spoilt and must
 * not verify.
 *
 *     secp256k1 [ROUNDS]
 */
#include "../generated.h"
#include <contrib/lax_der_parsing.h>
#include <secp256k1.h>
#include <secp256k1_ecdh.h>
#include <secp256k1_ellswift.h>
#include <secp256k1_extrakeys.h>
#include <secp256k1_preallocated.h>
#include <secp256k1_recovery.h>
#include <secp256k1_schnorrsig.h>

/* The crate renames everything so that versions can live side by side. */
#define SECP(name) rustsecp256k1_v0_10_0_##name

typedef SECP(context) context;
typedef SECP(pubkey) public_key;
typedef SECP(ecdsa_signature) signature;

static uint64_t sum = 1;

/* The library reports misuse here when built with callbacks of its user. */
void SECP(default_illegal_callback_fn)(const char *message, void *data) {
    (void)data;
    check(0, message);
}

void SECP(default_error_callback_fn)(const char *message, void *data) {
    (void)data;
    check(0, message);
}

static void write_noise(uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)next_random();
}

static void write_secret(const context *library, uint8_t secret[32]) {
    do write_noise(secret, 32);
    while (!SECP(ec_seckey_verify)(library, secret));
}

static void mix_key(const context *library, const public_key *key, int compressed) {
    uint8_t bytes[65];
    size_t size = sizeof bytes;
    unsigned form = compressed ? SECP256K1_EC_COMPRESSED : SECP256K1_EC_UNCOMPRESSED;
    check(SECP(ec_pubkey_serialize)(library, bytes, &size, key, form), "write a key");
    public_key again;
    check(SECP(ec_pubkey_parse)(library, &again, bytes, size), "read a key");
    check(SECP(ec_pubkey_cmp)(library, key, &again) == 0, "read the same key");
    sum = mix(sum, bytes, size);
}

static void sign(const context *library, uint8_t message[32], const uint8_t *secret, const public_key *key, int spoil) {
    signature made, strict, lax;
    check(SECP(ecdsa_sign)(library, &made, message, secret, NULL, NULL), "sign");
    if (spoil) message[3] ^= 1;
    check(SECP(ecdsa_verify)(library, &made, message, key) == !spoil, "verify a signature");
    uint8_t bytes[80];
    size_t size = sizeof bytes;
    check(SECP(ecdsa_signature_serialize_der)(library, bytes, &size, &made), "write a signature");
    check(SECP(ecdsa_signature_parse_der)(library, &strict, bytes, size), "read a signature");
    check(SECP(ecdsa_signature_parse_der_lax)(library, &lax, bytes, size), "read a signature laxly");
    SECP(ecdsa_signature_normalize)(library, &strict, &lax);
    sum = mix(sum, bytes, size);
}

static void recover(const context *library, const uint8_t *message, const uint8_t *secret, const public_key *key) {
    SECP(ecdsa_recoverable_signature) made;
    public_key recovered;
    check(SECP(ecdsa_sign_recoverable)(library, &made, message, secret, NULL, NULL), "sign recoverably");
    check(SECP(ecdsa_recover)(library, &recovered, &made, message), "recover a key");
    check(SECP(ec_pubkey_cmp)(library, &recovered, key) == 0, "recover the right key");
}

static void sign_schnorr(const context *library, const uint8_t *message, const uint8_t *secret, int spoil) {
    SECP(keypair) pair;
    SECP(xonly_pubkey) key;
    uint8_t made[64], noise[32];
    check(SECP(keypair_create)(library, &pair, secret), "make a key pair");
    check(SECP(keypair_xonly_pub)(library, &key, NULL, &pair), "take the public key of a pair");
    write_noise(noise, sizeof noise);
    check(SECP(schnorrsig_sign32)(library, made, message, &pair, noise), "sign by Schnorr");
    check(SECP(schnorrsig_verify)(library, made, message, 32, &key), "verify by Schnorr");
    sum = mix(sum, made, sizeof made);
    if (spoil) {
        made[9] ^= 1;
        check(!SECP(schnorrsig_verify)(library, made, message, 32, &key), "refuse a spoilt Schnorr signature");
    }
    check(SECP(keypair_xonly_tweak_add)(library, &pair, noise), "tweak a key pair");
}

/* Arithmetic with this round's key and that of the round before. */
static void combine(const context *library, const public_key *key, const public_key *other, int terms) {
    const public_key *keys[3] = {key, other, key};
    public_key total;
    uint8_t factor[32];
    check(SECP(ec_pubkey_combine)(library, &total, keys, (size_t)terms), "add keys");
    check(SECP(ec_pubkey_negate)(library, &total), "negate a key");
    write_secret(library, factor);
    check(SECP(ec_pubkey_tweak_add)(library, &total, factor), "add to a key");
    check(SECP(ec_pubkey_tweak_mul)(library, &total, factor), "multiply a key");
    mix_key(library, &total, 1);
}

static void share(const context *library, const public_key *other, uint8_t *secret) {
    uint8_t shared[32], factor[32];
    check(SECP(ecdh)(library, shared, other, secret, NULL, NULL), "agree on a secret");
    sum = mix(sum, shared, sizeof shared);
    write_secret(library, factor);
    check(SECP(ec_seckey_tweak_add)(library, secret, factor), "add to a secret");
    check(SECP(ec_seckey_tweak_mul)(library, secret, factor), "multiply a secret");
    check(SECP(ec_seckey_negate)(library, secret), "negate a secret");
}

static void encode_as_noise(const context *library, const uint8_t *secret, const public_key *key) {
    uint8_t own[64], others[64], noise[32], shared[32];
    public_key decoded;
    write_noise(noise, sizeof noise);
    check(SECP(ellswift_create)(library, own, secret, noise), "make an encoded key");
    check(SECP(ellswift_encode)(library, others, key, noise), "encode a key");
    check(SECP(ellswift_decode)(library, &decoded, others), "decode a key");
    check(SECP(ec_pubkey_cmp)(library, &decoded, key) == 0, "decode the right key");
    int agreed =
        SECP(ellswift_xdh)(library, shared, own, others, secret, 0, SECP(ellswift_xdh_hash_function_bip324), NULL);
    check(agreed, "agree on a secret by encoded keys");
    sum = mix(sum, shared, sizeof shared);
}

static void run_round(const context *library, int round, public_key *previous) {
    uint8_t secret[32], message[64], hash[32];
    public_key key;
    write_secret(library, secret);
    write_noise(message, sizeof message);
    check(SECP(ec_pubkey_create)(library, &key, secret), "make a key");
    mix_key(library, &key, round % 2);
    sign(library, message, secret, &key, round % 4 == 3);
    if (round % 3 == 0) recover(library, message, secret, &key);
    if (round % 2) sign_schnorr(library, message, secret, round % 5 == 0);
    if (round % 4 == 1) encode_as_noise(library, secret, &key);
    if (round > 0) {
        combine(library, &key, previous, 2 + round % 2);
        share(library, previous, secret);
    }
    check(SECP(tagged_sha256)(library, hash, (const uint8_t *)"tag", 3, message, sizeof message), "hash");
    sum = mix(sum, hash, sizeof hash);
    *previous = key;
}

int main(int argc, char **argv) {
    int rounds = rounds_of(argc, argv, 11000);
    void *memory = allocate(SECP(context_preallocated_size)(SECP256K1_CONTEXT_NONE));
    context *library = SECP(context_preallocated_create)(memory, SECP256K1_CONTEXT_NONE);
    check(library != NULL, "make a context");
    uint8_t noise[32];
    write_noise(noise, sizeof noise);
    check(SECP(context_randomize)(library, noise), "randomise the context");
    public_key previous;
    for (int round = 0; round < rounds; round++) run_round(library, round, &previous);
    print_checksum(sum);
    SECP(context_preallocated_destroy)(library);
    free(memory);
    return 0;
}
