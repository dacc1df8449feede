// As goto_computed.c, with a hundred targets: metered, three hundred take LLVM ten seconds to place.
// expect run calls=2
#include <stdio.h>
static volatile int work;
static int run(unsigned seed, int steps) {
    static void *const targets[] = {
        &&l0, &&l1, &&l2, &&l3, &&l4, &&l5, &&l6, &&l7, &&l8, &&l9,
        &&l10, &&l11, &&l12, &&l13, &&l14, &&l15, &&l16, &&l17, &&l18, &&l19,
        &&l20, &&l21, &&l22, &&l23, &&l24, &&l25, &&l26, &&l27, &&l28, &&l29,
        &&l30, &&l31, &&l32, &&l33, &&l34, &&l35, &&l36, &&l37, &&l38, &&l39,
        &&l40, &&l41, &&l42, &&l43, &&l44, &&l45, &&l46, &&l47, &&l48, &&l49,
        &&l50, &&l51, &&l52, &&l53, &&l54, &&l55, &&l56, &&l57, &&l58, &&l59,
        &&l60, &&l61, &&l62, &&l63, &&l64, &&l65, &&l66, &&l67, &&l68, &&l69,
        &&l70, &&l71, &&l72, &&l73, &&l74, &&l75, &&l76, &&l77, &&l78, &&l79,
        &&l80, &&l81, &&l82, &&l83, &&l84, &&l85, &&l86, &&l87, &&l88, &&l89,
        &&l90, &&l91, &&l92, &&l93, &&l94, &&l95, &&l96, &&l97, &&l98, &&l99,
    };
#define NEXT seed = seed * 1103515245u + 12345u; if (steps-- == 0) return (int)(seed >> 8); goto *targets[(seed >> 8) % 100]
    NEXT;
l0: work += 1; NEXT;
l1: work += 2; NEXT;
l2: work += 3; NEXT;
l3: work += 4; NEXT;
l4: work += 5; NEXT;
l5: work += 6; NEXT;
l6: work += 7; NEXT;
l7: work += 1; NEXT;
l8: work += 2; NEXT;
l9: work += 3; NEXT;
l10: work += 4; NEXT;
l11: work += 5; NEXT;
l12: work += 6; NEXT;
l13: work += 7; NEXT;
l14: work += 1; NEXT;
l15: work += 2; NEXT;
l16: work += 3; NEXT;
l17: work += 4; NEXT;
l18: work += 5; NEXT;
l19: work += 6; NEXT;
l20: work += 7; NEXT;
l21: work += 1; NEXT;
l22: work += 2; NEXT;
l23: work += 3; NEXT;
l24: work += 4; NEXT;
l25: work += 5; NEXT;
l26: work += 6; NEXT;
l27: work += 7; NEXT;
l28: work += 1; NEXT;
l29: work += 2; NEXT;
l30: work += 3; NEXT;
l31: work += 4; NEXT;
l32: work += 5; NEXT;
l33: work += 6; NEXT;
l34: work += 7; NEXT;
l35: work += 1; NEXT;
l36: work += 2; NEXT;
l37: work += 3; NEXT;
l38: work += 4; NEXT;
l39: work += 5; NEXT;
l40: work += 6; NEXT;
l41: work += 7; NEXT;
l42: work += 1; NEXT;
l43: work += 2; NEXT;
l44: work += 3; NEXT;
l45: work += 4; NEXT;
l46: work += 5; NEXT;
l47: work += 6; NEXT;
l48: work += 7; NEXT;
l49: work += 1; NEXT;
l50: work += 2; NEXT;
l51: work += 3; NEXT;
l52: work += 4; NEXT;
l53: work += 5; NEXT;
l54: work += 6; NEXT;
l55: work += 7; NEXT;
l56: work += 1; NEXT;
l57: work += 2; NEXT;
l58: work += 3; NEXT;
l59: work += 4; NEXT;
l60: work += 5; NEXT;
l61: work += 6; NEXT;
l62: work += 7; NEXT;
l63: work += 1; NEXT;
l64: work += 2; NEXT;
l65: work += 3; NEXT;
l66: work += 4; NEXT;
l67: work += 5; NEXT;
l68: work += 6; NEXT;
l69: work += 7; NEXT;
l70: work += 1; NEXT;
l71: work += 2; NEXT;
l72: work += 3; NEXT;
l73: work += 4; NEXT;
l74: work += 5; NEXT;
l75: work += 6; NEXT;
l76: work += 7; NEXT;
l77: work += 1; NEXT;
l78: work += 2; NEXT;
l79: work += 3; NEXT;
l80: work += 4; NEXT;
l81: work += 5; NEXT;
l82: work += 6; NEXT;
l83: work += 7; NEXT;
l84: work += 1; NEXT;
l85: work += 2; NEXT;
l86: work += 3; NEXT;
l87: work += 4; NEXT;
l88: work += 5; NEXT;
l89: work += 6; NEXT;
l90: work += 7; NEXT;
l91: work += 1; NEXT;
l92: work += 2; NEXT;
l93: work += 3; NEXT;
l94: work += 4; NEXT;
l95: work += 5; NEXT;
l96: work += 6; NEXT;
l97: work += 7; NEXT;
l98: work += 1; NEXT;
l99: work += 2; NEXT;
}
int main(void) {
    int a = run(1, 20000), b = run(2, 1);
    printf("%d %d %d\n", a, b, work);
}
