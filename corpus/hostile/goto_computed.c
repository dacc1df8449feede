// Computed goto with 300 targets, dispatch at the end of each: one indirectbr with hundreds of ways.
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
        &&l100, &&l101, &&l102, &&l103, &&l104, &&l105, &&l106, &&l107, &&l108, &&l109,
        &&l110, &&l111, &&l112, &&l113, &&l114, &&l115, &&l116, &&l117, &&l118, &&l119,
        &&l120, &&l121, &&l122, &&l123, &&l124, &&l125, &&l126, &&l127, &&l128, &&l129,
        &&l130, &&l131, &&l132, &&l133, &&l134, &&l135, &&l136, &&l137, &&l138, &&l139,
        &&l140, &&l141, &&l142, &&l143, &&l144, &&l145, &&l146, &&l147, &&l148, &&l149,
        &&l150, &&l151, &&l152, &&l153, &&l154, &&l155, &&l156, &&l157, &&l158, &&l159,
        &&l160, &&l161, &&l162, &&l163, &&l164, &&l165, &&l166, &&l167, &&l168, &&l169,
        &&l170, &&l171, &&l172, &&l173, &&l174, &&l175, &&l176, &&l177, &&l178, &&l179,
        &&l180, &&l181, &&l182, &&l183, &&l184, &&l185, &&l186, &&l187, &&l188, &&l189,
        &&l190, &&l191, &&l192, &&l193, &&l194, &&l195, &&l196, &&l197, &&l198, &&l199,
        &&l200, &&l201, &&l202, &&l203, &&l204, &&l205, &&l206, &&l207, &&l208, &&l209,
        &&l210, &&l211, &&l212, &&l213, &&l214, &&l215, &&l216, &&l217, &&l218, &&l219,
        &&l220, &&l221, &&l222, &&l223, &&l224, &&l225, &&l226, &&l227, &&l228, &&l229,
        &&l230, &&l231, &&l232, &&l233, &&l234, &&l235, &&l236, &&l237, &&l238, &&l239,
        &&l240, &&l241, &&l242, &&l243, &&l244, &&l245, &&l246, &&l247, &&l248, &&l249,
        &&l250, &&l251, &&l252, &&l253, &&l254, &&l255, &&l256, &&l257, &&l258, &&l259,
        &&l260, &&l261, &&l262, &&l263, &&l264, &&l265, &&l266, &&l267, &&l268, &&l269,
        &&l270, &&l271, &&l272, &&l273, &&l274, &&l275, &&l276, &&l277, &&l278, &&l279,
        &&l280, &&l281, &&l282, &&l283, &&l284, &&l285, &&l286, &&l287, &&l288, &&l289,
        &&l290, &&l291, &&l292, &&l293, &&l294, &&l295, &&l296, &&l297, &&l298, &&l299,
    };
#define NEXT seed = seed * 1103515245u + 12345u; if (steps-- == 0) return (int)(seed >> 8); goto *targets[(seed >> 8) % 300]
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
l100: work += 3; NEXT;
l101: work += 4; NEXT;
l102: work += 5; NEXT;
l103: work += 6; NEXT;
l104: work += 7; NEXT;
l105: work += 1; NEXT;
l106: work += 2; NEXT;
l107: work += 3; NEXT;
l108: work += 4; NEXT;
l109: work += 5; NEXT;
l110: work += 6; NEXT;
l111: work += 7; NEXT;
l112: work += 1; NEXT;
l113: work += 2; NEXT;
l114: work += 3; NEXT;
l115: work += 4; NEXT;
l116: work += 5; NEXT;
l117: work += 6; NEXT;
l118: work += 7; NEXT;
l119: work += 1; NEXT;
l120: work += 2; NEXT;
l121: work += 3; NEXT;
l122: work += 4; NEXT;
l123: work += 5; NEXT;
l124: work += 6; NEXT;
l125: work += 7; NEXT;
l126: work += 1; NEXT;
l127: work += 2; NEXT;
l128: work += 3; NEXT;
l129: work += 4; NEXT;
l130: work += 5; NEXT;
l131: work += 6; NEXT;
l132: work += 7; NEXT;
l133: work += 1; NEXT;
l134: work += 2; NEXT;
l135: work += 3; NEXT;
l136: work += 4; NEXT;
l137: work += 5; NEXT;
l138: work += 6; NEXT;
l139: work += 7; NEXT;
l140: work += 1; NEXT;
l141: work += 2; NEXT;
l142: work += 3; NEXT;
l143: work += 4; NEXT;
l144: work += 5; NEXT;
l145: work += 6; NEXT;
l146: work += 7; NEXT;
l147: work += 1; NEXT;
l148: work += 2; NEXT;
l149: work += 3; NEXT;
l150: work += 4; NEXT;
l151: work += 5; NEXT;
l152: work += 6; NEXT;
l153: work += 7; NEXT;
l154: work += 1; NEXT;
l155: work += 2; NEXT;
l156: work += 3; NEXT;
l157: work += 4; NEXT;
l158: work += 5; NEXT;
l159: work += 6; NEXT;
l160: work += 7; NEXT;
l161: work += 1; NEXT;
l162: work += 2; NEXT;
l163: work += 3; NEXT;
l164: work += 4; NEXT;
l165: work += 5; NEXT;
l166: work += 6; NEXT;
l167: work += 7; NEXT;
l168: work += 1; NEXT;
l169: work += 2; NEXT;
l170: work += 3; NEXT;
l171: work += 4; NEXT;
l172: work += 5; NEXT;
l173: work += 6; NEXT;
l174: work += 7; NEXT;
l175: work += 1; NEXT;
l176: work += 2; NEXT;
l177: work += 3; NEXT;
l178: work += 4; NEXT;
l179: work += 5; NEXT;
l180: work += 6; NEXT;
l181: work += 7; NEXT;
l182: work += 1; NEXT;
l183: work += 2; NEXT;
l184: work += 3; NEXT;
l185: work += 4; NEXT;
l186: work += 5; NEXT;
l187: work += 6; NEXT;
l188: work += 7; NEXT;
l189: work += 1; NEXT;
l190: work += 2; NEXT;
l191: work += 3; NEXT;
l192: work += 4; NEXT;
l193: work += 5; NEXT;
l194: work += 6; NEXT;
l195: work += 7; NEXT;
l196: work += 1; NEXT;
l197: work += 2; NEXT;
l198: work += 3; NEXT;
l199: work += 4; NEXT;
l200: work += 5; NEXT;
l201: work += 6; NEXT;
l202: work += 7; NEXT;
l203: work += 1; NEXT;
l204: work += 2; NEXT;
l205: work += 3; NEXT;
l206: work += 4; NEXT;
l207: work += 5; NEXT;
l208: work += 6; NEXT;
l209: work += 7; NEXT;
l210: work += 1; NEXT;
l211: work += 2; NEXT;
l212: work += 3; NEXT;
l213: work += 4; NEXT;
l214: work += 5; NEXT;
l215: work += 6; NEXT;
l216: work += 7; NEXT;
l217: work += 1; NEXT;
l218: work += 2; NEXT;
l219: work += 3; NEXT;
l220: work += 4; NEXT;
l221: work += 5; NEXT;
l222: work += 6; NEXT;
l223: work += 7; NEXT;
l224: work += 1; NEXT;
l225: work += 2; NEXT;
l226: work += 3; NEXT;
l227: work += 4; NEXT;
l228: work += 5; NEXT;
l229: work += 6; NEXT;
l230: work += 7; NEXT;
l231: work += 1; NEXT;
l232: work += 2; NEXT;
l233: work += 3; NEXT;
l234: work += 4; NEXT;
l235: work += 5; NEXT;
l236: work += 6; NEXT;
l237: work += 7; NEXT;
l238: work += 1; NEXT;
l239: work += 2; NEXT;
l240: work += 3; NEXT;
l241: work += 4; NEXT;
l242: work += 5; NEXT;
l243: work += 6; NEXT;
l244: work += 7; NEXT;
l245: work += 1; NEXT;
l246: work += 2; NEXT;
l247: work += 3; NEXT;
l248: work += 4; NEXT;
l249: work += 5; NEXT;
l250: work += 6; NEXT;
l251: work += 7; NEXT;
l252: work += 1; NEXT;
l253: work += 2; NEXT;
l254: work += 3; NEXT;
l255: work += 4; NEXT;
l256: work += 5; NEXT;
l257: work += 6; NEXT;
l258: work += 7; NEXT;
l259: work += 1; NEXT;
l260: work += 2; NEXT;
l261: work += 3; NEXT;
l262: work += 4; NEXT;
l263: work += 5; NEXT;
l264: work += 6; NEXT;
l265: work += 7; NEXT;
l266: work += 1; NEXT;
l267: work += 2; NEXT;
l268: work += 3; NEXT;
l269: work += 4; NEXT;
l270: work += 5; NEXT;
l271: work += 6; NEXT;
l272: work += 7; NEXT;
l273: work += 1; NEXT;
l274: work += 2; NEXT;
l275: work += 3; NEXT;
l276: work += 4; NEXT;
l277: work += 5; NEXT;
l278: work += 6; NEXT;
l279: work += 7; NEXT;
l280: work += 1; NEXT;
l281: work += 2; NEXT;
l282: work += 3; NEXT;
l283: work += 4; NEXT;
l284: work += 5; NEXT;
l285: work += 6; NEXT;
l286: work += 7; NEXT;
l287: work += 1; NEXT;
l288: work += 2; NEXT;
l289: work += 3; NEXT;
l290: work += 4; NEXT;
l291: work += 5; NEXT;
l292: work += 6; NEXT;
l293: work += 7; NEXT;
l294: work += 1; NEXT;
l295: work += 2; NEXT;
l296: work += 3; NEXT;
l297: work += 4; NEXT;
l298: work += 5; NEXT;
l299: work += 6; NEXT;
}
int main(void) {
    int a = run(1, 20000), b = run(2, 1);
    printf("%d %d %d\n", a, b, work);
}
