// Asks where its return address lies.
// Rejected: intrinsic, main
int main(void) { return __builtin_frame_address(0) == 0; }
