//! Can a reason be true of the thing that it is told of?
//!
//! A table of what each operation of a graph may be selected as, written from the machines' manuals and LLVM's list of
//! operations, not from what opcost told. An opcode is held against it by its mnemonic (the start of LLVM's name,
//! without the `V` of x86's vectors). The table is wider than any machine: its work is to catch a reason that stands at
//! another node, such as an addition that is told of a move. Operations of one machine alone (`X86ISD::CMP`) are
//! judged by what their names have in common with the plain ones, and by entries of their own.
//!
//! Input: operation and opcode. Output: whether that can be. Cost: the length of a row.

/// Operations, and the mnemonics that may do them.
const TABLE: &[(&str, &str)] = &[
    // What adds. `or` of bits that both operands do not have is an addition, too.
    (
        "add",
        "ADD INC DEC LEA SUB ADC MADD MSUB SMADD UMADD SMSUB UMSUB PADD SH1ADD SH2ADD SH3ADD ADDLOW ADRP PSUB \
             MLA MLS SABA UABA SADDW UADDW SADDL UADDL SSRA USRA ADR AUIPC SMLAL UMLAL CSINC",
    ),
    ("sub", "SUB NEG ADD DEC INC SBB MSUB SMSUB UMSUB PSUB MLS SSUB USUB XOR PCMP CMP SRAI LEA"),
    ("mul", "MUL IMUL SMULL UMULL MADD SMADD UMADD LEA PMUL SMULH UMULH"),
    ("mulhu mulhs", "MUL IMUL MULH SMULH UMULH PMULH UZP"),
    ("umul_lohi smul_lohi", "MUL IMUL SMULL UMULL"),
    ("sdiv udiv srem urem sdivrem udivrem", "DIV IDIV SDIV UDIV REM"),
    ("uaddo saddo addc adde uaddo_carry saddo_carry", "ADD ADC INC"),
    ("usubo ssubo subc sube usubo_carry ssubo_carry", "SUB SBB SBC DEC CMP"),
    ("abs", "PABS ABS"),
    ("smin smax umin umax", "PMIN PMAX SMIN SMAX UMIN UMAX MIN MAX CSEL"),
    ("sadd_sat uadd_sat saddsat uaddsat", "PADD SQADD UQADD"),
    ("ssub_sat usub_sat ssubsat usubsat", "PSUB SQSUB UQSUB"),
    ("avgceilu avgflooru avgceils avgfloors", "PAVG URHADD UHADD SRHADD SHADD"),
    ("abdu abds", "UABD SABD"),
    // Bits. A mask may be a move of a part, a shift pair, or a test of a bit.
    (
        "and",
        "AND BIC PAND PANDN BLS BEXTR BZHI BTR MOVZX UBFM UBFX EXTRACT_SUBREG SUBREG_TO_REG SRL SLL BSP BIT BIF \
             ADD_UW ZEXT BEXT TEST BCLR SBFM SLT TZMSK CTZ CSEL MOV32 ORRW UMAXV UMINV SMAXV SMINV ADDV UADDLV SADDLV FMAXNMV FMINNMV UMOV",
    ),
    (
        "or",
        "OR ORR ORN ADD LEA POR BTS BFM BFI BFXIL SHLD SHRD EXTR BSL BSP BIT BIF BSET SLI SRI SUBREG_TO_REG UBFM INC CSINC",
    ),
    ("xor", "XOR EOR EON NOT PXOR BTC XNOR NEG BLS ORN MVN NOTV CSINV CSEL ADD32"),
    (
        "shl",
        "SHL SAL ADD LEA SLL LSL UBFM SBFM PSLL BZHI SHLX SHL USHLL SSHLL PADD ROL RORX ADD_UW SLLI_UW PseudoSLL SRLI",
    ),
    // RISC-V shifts a masked number right and back.
    (
        "srl",
        "SLLI SHR SRL LSR UBFM USHR PSRL UBFX EXTRACT_SUBREG BEXTR MOVZX UXT RSHRN SHRN RORX ROR REV16 SRAIW",
    ),
    ("sra", "SAR SRA ASR SBFM SSHR PSRA SBFX MOVSX SSHR CMLT CDQ CQO CMP"),
    ("rotl rotr", "ROL ROR RORX EXTR SHLD SHRD PROL PROR RORI RORV ROLI"),
    ("fshl fshr", "SHLD SHRD EXTR ROL ROR"),
    ("ctpop", "POPCNT CNT CPOP"),
    ("ctlz ctlz_zero_undef", "LZCNT BSR CLZ"),
    ("cttz cttz_zero_undef", "TZCNT BSF REP CTZ RBIT CLZ"),
    ("bswap", "BSWAP REV XCHG ROL MOVBE REV8"),
    ("bitreverse", "RBIT REV"),
    // From one width to another: a part of a register, or a move that extends. Where a machine's own operations work on
    // a half of its registers and extend (RISC-V's W), the extension is the root of the pattern.
    ("truncate", "EXTRACT_SUBREG COPY MOV XTN UZP PSHUF PACK SHRN SETCC PMOV TRUNC RSHRN"),
    (
        "zero_extend",
        "MOVZX SUBREG_TO_REG UBFM AND USHLL PMOVZX MOV SRL ZEXT LBU LHU LWU ORR UXT PUNPCK LDR ADD_UW \
                     INSERT_SUBREG UMOV",
    ),
    ("sign_extend", "MOVSX SBFM SSHLL PMOVSX ADDIW SRA SEXT CDQE CWDE SXT SMOV LDRS SMULL"),
    ("any_extend", "MOVZX MOVSX SUBREG_TO_REG INSERT_SUBREG COPY ANYEXT USHLL MOV PMOVZX EXTRACT_SUBREG"),
    (
        "sign_extend_inreg",
        "MOVSX SBFM ADDIW ADDW SUBW MULW DIVW REMW SLLIW SLLW SRAIW SRAW SRLIW SRLW SEXT SRA ADDIW \
                           DIVUW REMUW NEGW SXT SMOV SMULL ROLW RORW RORIW CLZW CTZW CPOPW PACKW ABSW",
    ),
    ("sign_extend_vector_inreg", "PMOVSX SSHLL PUNPCK PSRA"),
    ("zero_extend_vector_inreg any_extend_vector_inreg", "PMOVZX USHLL PUNPCK"),
    // Memory. What is loaded is worked on in one instruction, and what is stored is made in one.
    (
        "load",
        "MOV LDR LDUR LDP LB LH LW LD FLD FLW FLH LEA LOAD PMOVZX PMOVSX BROADCAST LDRS LD1R LD1 PseudoLD \
              LDAPR MOVDDUP PBROADCAST KMOV UXL ZEXTLOAD",
    ),
    (
        "store",
        "MOV STR STUR STP SB SH SW SD FSD FSW FSH ADD SUB INC DEC AND OR XOR SHL SHR SAR NEG NOT ROL ROR SET \
               PEXTR EXTRACT ST1 BT PseudoST ADC SBB SHLD SHRD MOVBE STL KMOV",
    ),
    ("masked_load masked_store", "MASKMOV PMASKMOV MOV"),
    ("AtomicLoad", "MOV LDAR LDR LB LH LW LD LDAPR"),
    ("AtomicStore", "MOV XCHG STLR STR SB SH SW SD"),
    (
        "AtomicSwap AtomicLoadAdd AtomicLoadSub AtomicLoadAnd AtomicLoadClr AtomicLoadOr AtomicLoadXor AtomicLoadNand \
      AtomicLoadMin AtomicLoadMax AtomicLoadUMin AtomicLoadUMax AtomicCmpSwap AtomicCmpSwapWithSuccess",
        "XCHG XADD CMPXCHG LCMPXCHG LXADD LOCK SWP LDADD LDCLR LDSET LDEOR CAS AMO PseudoAtomic PseudoCmpXchg CMP_SWAP \
      LDSMIN LDSMAX LDUMIN LDUMAX",
    ),
    ("AtomicFence", "FENCE MFENCE DMB Int_MemBarrier MEMBARRIER OR32mi8Locked LOCK CompilerBarrier"),
    ("Prefetch", "PREFETCH PRFM"),
    // Control. A call may be a jump, and a branch compares.
    ("br", "JMP B PseudoBR JAL"),
    ("brcond", "JCC B CBZ CBNZ TBZ TBNZ BEQ BNE BLT BGE PseudoBR JMP Bcc"),
    ("br_cc", "JCC B CBZ CBNZ TBZ TBNZ BEQ BNE BLT BGE Bcc"),
    ("brind", "JMP BR PseudoBRIND"),
    ("trap ubsantrap debugtrap", "TRAP UD2 BRK UNIMP INT3 EBREAK"),
    ("callseq_start", "ADJCALLSTACKDOWN"),
    ("callseq_end", "ADJCALLSTACKUP"),
    // Choices. A condition may be a value by itself: 0 or 1 by a set, all bits by an exclusive-or or a shift.
    (
        "setcc",
        "SET CMP PCMP CSINC CSET SLT SLTU SLTIU SLTI XOR FEQ FLT FLE CM FCM SEQZ SNEZ TEST SUBS SUB ADD UCOM SRLI",
    ),
    ("select", "CMOV CSEL CSINC CSINV CSNEG FCSEL Select CZERO PseudoCCMOV BSP BLENDV PBLENDV PAND"),
    ("vselect", "BLEND PBLEND BSP BSL BIT BIF PAND PseudoV"),
    // Fractions.
    ("fadd strict_fadd", "ADD FADD FMADD FMLA FNM MADD FMA"),
    ("fsub strict_fsub", "SUB FSUB FMSUB FMLS FNM FMADD FMA FNEG"),
    ("fmul strict_fmul", "MUL FMUL FNMUL"),
    ("fdiv strict_fdiv", "DIV FDIV"),
    ("fneg", "XOR FNEG CHS FSGNJN FNMUL FNM PXOR FNMADD"),
    ("fabs", "AND FABS ABS FSGNJX PAND FABD"),
    ("fcopysign", "FSGNJ BSP BIT BSL"),
    ("fsqrt strict_fsqrt", "SQRT FSQRT"),
    ("fma fmuladd strict_fma", "FMADD FMSUB FNM FMLA FMLS FMA"),
    (
        "fmaxnum fminnum fmaximum fminimum fmaxnum_ieee fminnum_ieee fmaximumnum fminimumnum",
        "MAX MIN FMAX FMIN",
    ),
    ("ffloor fceil ftrunc frint fround fnearbyint froundeven", "ROUND FRINT FROUND FCVT"),
    ("fp_extend strict_fp_extend", "CVTSS2SD CVTPS2PD FCVT LD_F CVTPH2PS COPY"),
    ("fp_round strict_fp_round", "CVTSD2SS CVTPD2PS FCVT CVTPS2PH ST_F"),
    ("sint_to_fp uint_to_fp strict_sint_to_fp strict_uint_to_fp", "CVT SCVTF UCVTF FCVT ILD"),
    (
        "fp_to_sint fp_to_uint strict_fp_to_sint strict_fp_to_uint lrint llrint lround llround",
        "CVT FCVT IST FISTT",
    ),
    // The same bits, elsewhere.
    ("bitcast", "MOV FMOV FMV COPY MOVD MOVQ"),
    ("freeze", "COPY"),
    ("undef poison", "IMPLICIT_DEF"),
    ("Constant", "MOV XOR ADDI LUI ORR SUBREG_TO_REG COPY SET0 LI PseudoLI"),
    ("ConstantFP", "FMOV SET0 FLD LD_F FsFLD0 AVX FMV LDR MOV LUI COPY"),
    (
        "GlobalAddress ConstantPool JumpTable BlockAddress FrameIndex",
        "LEA MOV ADR ADRP ADDI PseudoL PseudoLA LUI",
    ),
    // Parts of vectors.
    (
        "extract_vector_elt",
        "MOV PEXTR EXTRACT COPY UMOV SMOV DUP FMOV UMAXV UMINV SMAXV SMINV ADDV UADDLV SADDLV FMAXNMV FMINNMV",
    ),
    ("insert_vector_elt", "PINSR INSERT INS MOV UNPCK LD1 DUP"),
    ("extract_subvector", "EXTRACT COPY DUP EXT"),
    ("insert_subvector", "INSERT SUBREG_TO_REG INS"),
    ("concat_vectors", "INS INSERT SUBREG_TO_REG UZP RSHRN SHRN XTN"),
    ("vector_shuffle", "PSHUF SHUF UNPCK PUNPCK MOV PALIGN EXT ZIP UZP TRN REV DUP PERM BLEND PBLEND INS"),
    ("BUILD_VECTOR", "SET0 SETALLONES MOV DUP FMOV SUBREG_TO_REG PXOR XOR AVX INS V_SET"),
    ("scalar_to_vector", "MOV COPY SUBREG_TO_REG INSERT FMOV INS LD DUP"),
    ("splat_vector", "DUP MOV BROADCAST PBROADCAST"),
    (
        "vecreduce_add vecreduce_smax vecreduce_smin vecreduce_umax vecreduce_umin vecreduce_fadd vecreduce_fmax \
      vecreduce_fmin",
        "ADDV ADDP SMAXV SMINV UMAXV UMINV FADDP FMAXNMV FMINNMV UADDLV SADDLV MAXV MINV",
    ),
    // The machines' own.
    ("X86ISD::CMP", "CMP TEST UCOM COM UCOMI COMI SUB BT AND"),
    ("X86ISD::FCMP X86ISD::UCOMI X86ISD::COMI X86ISD::UCOMX X86ISD::COMX X86ISD::STRICT_FCMP", "UCOM COM"),
    ("X86ISD::ADD X86ISD::ADC", "ADD ADC INC DEC SUB"),
    ("X86ISD::SUB X86ISD::SBB", "SUB SBB DEC INC ADD CMP NEG SETB"),
    ("X86ISD::AND", "AND TEST BLS"),
    ("X86ISD::OR", "OR"),
    ("X86ISD::XOR", "XOR"),
    ("X86ISD::SMUL X86ISD::UMUL", "IMUL MUL"),
    ("X86ISD::SETCC X86ISD::SETCC_CARRY", "SET SBB"),
    ("X86ISD::BRCOND", "JCC"),
    ("X86ISD::CMOV", "CMOV"),
    ("X86ISD::BT", "BT"),
    ("X86ISD::CALL X86ISD::NT_CALL X86ISD::CALL_RVMARKER", "CALL"),
    ("X86ISD::TC_RETURN", "TCRETURN TAILJMP"),
    ("X86ISD::RET_GLUE X86ISD::RET_FLAG", "RET"),
    ("X86ISD::Wrapper X86ISD::WrapperRIP X86ISD::GLOBAL_BASE_REG", "LEA MOV"),
    ("X86ISD::TLSADDR X86ISD::TLSBASEADDR X86ISD::TLSCALL X86ISD::TLSDESC", "TLS"),
    ("X86ISD::REP_STOS", "REP_STOS STOS"),
    ("X86ISD::REP_MOVS", "REP_MOVS MOVS"),
    ("X86ISD::FSHL", "SHLD"),
    ("X86ISD::FSHR", "SHRD"),
    ("X86ISD::FILD X86ISD::FLD", "ILD LD_F LD"),
    ("X86ISD::FIST X86ISD::FST X86ISD::FP_TO_INT_IN_MEM", "IST ST FP80 FP64 FP32"),
    ("X86ISD::FNSTCW16m X86ISD::FLDCW16m", "FNSTCW FLDCW"),
    ("X86ISD::BLENDI X86ISD::BLENDV", "BLEND PBLEND MOV"),
    ("X86ISD::VZEXT_MOVL X86ISD::VZEXT_LOAD", "MOV SUBREG_TO_REG"),
    ("X86ISD::VBROADCAST X86ISD::VBROADCAST_LOAD X86ISD::MOVDDUP", "BROADCAST PBROADCAST MOVDDUP"),
    ("X86ISD::VSHLI X86ISD::VSHL X86ISD::VSHLDQ", "PSLL PADD"),
    ("X86ISD::VSRLI X86ISD::VSRL X86ISD::VSRLDQ", "PSRL"),
    ("X86ISD::VSRAI X86ISD::VSRA", "PSRA"),
    ("X86ISD::PCMPEQ X86ISD::PCMPGT X86ISD::CMPP X86ISD::FSETCC", "PCMP CMP"),
    ("X86ISD::PSHUFD X86ISD::PSHUFLW X86ISD::PSHUFHW X86ISD::PSHUFB X86ISD::SHUFP", "PSHUF SHUF"),
    ("X86ISD::UNPCKL X86ISD::UNPCKH", "UNPCK PUNPCK MOV"),
    ("X86ISD::MOVSD X86ISD::MOVSS X86ISD::MOVSH X86ISD::MOVLHPS X86ISD::MOVHLPS", "MOV BLEND UNPCK SHUF"),
    ("X86ISD::MOVMSK X86ISD::MOVQ2DQ", "MOVMSK PMOVMSK MOV"),
    ("X86ISD::PACKUS X86ISD::PACKSS", "PACK"),
    ("X86ISD::PMULUDQ X86ISD::PMULDQ", "PMUL"),
    ("X86ISD::VPMADDWD X86ISD::VPMADDUBSW X86ISD::PSADBW", "PMADD PSADBW"),
    ("X86ISD::FAND X86ISD::FANDN X86ISD::ANDNP", "AND PAND ANDN PANDN"),
    ("X86ISD::FOR", "OR POR"),
    ("X86ISD::FXOR", "XOR PXOR"),
    ("X86ISD::FMIN X86ISD::FMAX X86ISD::FMINC X86ISD::FMAXC", "MIN MAX"),
    ("X86ISD::PINSRW X86ISD::PINSRB X86ISD::INSERTPS", "PINSR INSERT"),
    ("X86ISD::PEXTRW X86ISD::PEXTRB", "PEXTR"),
    ("X86ISD::PTEST X86ISD::TESTP", "PTEST TEST"),
    (
        "X86ISD::CVTSI2P X86ISD::CVTUI2P X86ISD::CVTTP2SI X86ISD::CVTP2SI X86ISD::VFPEXT X86ISD::VFPROUND",
        "CVT",
    ),
    ("X86ISD::HADD X86ISD::FHADD X86ISD::HSUB X86ISD::FHSUB", "PHADD HADD PHSUB HSUB"),
    ("X86ISD::LCMPXCHG_DAG X86ISD::LCMPXCHG8_DAG X86ISD::LCMPXCHG16_DAG", "LCMPXCHG"),
    ("X86ISD::LADD X86ISD::LSUB X86ISD::LOR X86ISD::LXOR X86ISD::LAND", "LOCK"),
    ("X86ISD::MEMBARRIER X86ISD::MFENCE", "Int_MemBarrier MFENCE"),
    ("X86ISD::NOTRACK_BRIND X86ISD::EH_SJLJ_SETJMP X86ISD::EH_RETURN", "JMP EH_"),
    ("X86ISD::EH_SJLJ_LONGJMP", "EH_"),
    ("JUMP_TABLE_DEBUG_INFO", "JUMP_TABLE_DEBUG_INFO"),
    ("X86ISD::BSF", "BSF REP TZCNT"),
    ("X86ISD::BSR", "BSR"),
    ("X86ISD::MUL_IMM", "LEA IMUL"),
    ("X86ISD::PROBED_ALLOCA X86ISD::SEG_ALLOCA X86ISD::DYN_ALLOCA", "PROBED_ALLOCA SEG_ALLOCA DYN_ALLOCA"),
    ("X86ISD::VASTART_SAVE_XMM_REGS X86ISD::VAARG_64", "VASTART VAARG"),
    ("AArch64ISD::CALL AArch64ISD::CALL_RVMARKER", "BL"),
    ("AArch64ISD::TC_RETURN", "TCRETURN"),
    ("AArch64ISD::RET_GLUE AArch64ISD::RET_FLAG", "RET"),
    ("AArch64ISD::BRCOND", "B"),
    ("AArch64ISD::CBZ AArch64ISD::CBNZ", "CB"),
    ("AArch64ISD::TBZ AArch64ISD::TBNZ", "TB"),
    ("AArch64ISD::SUBS", "SUBS CMP ADDS ANDS"),
    ("AArch64ISD::ADDS", "ADDS SUBS"),
    ("AArch64ISD::ANDS", "ANDS BICS"),
    ("AArch64ISD::ADC AArch64ISD::ADCS", "ADC"),
    ("AArch64ISD::SBC AArch64ISD::SBCS", "SBC NGC"),
    ("AArch64ISD::CCMP AArch64ISD::CCMN AArch64ISD::FCCMP", "CCM FCCM"),
    ("AArch64ISD::CSEL AArch64ISD::CSINC AArch64ISD::CSINV AArch64ISD::CSNEG", "CS FCSEL"),
    ("AArch64ISD::FCMP AArch64ISD::STRICT_FCMP", "FCMP"),
    ("AArch64ISD::ADRP AArch64ISD::ADR", "ADR"),
    ("AArch64ISD::ADDlow AArch64ISD::WrapperLarge", "ADD MOVaddr MOV"),
    ("AArch64ISD::LOADgot", "LOADgot LDR MOVaddr"),
    ("AArch64ISD::EXTR", "EXTR"),
    ("AArch64ISD::BFI", "BFM"),
    (
        "AArch64ISD::DUP AArch64ISD::DUPLANE8 AArch64ISD::DUPLANE16 AArch64ISD::DUPLANE32 AArch64ISD::DUPLANE64",
        "DUP LD1R MOV INS",
    ),
    (
        "AArch64ISD::MOVI AArch64ISD::MOVIedit AArch64ISD::MOVIshift AArch64ISD::MOVImsl AArch64ISD::MVNIshift \
      AArch64ISD::MVNImsl AArch64ISD::FMOV",
        "MOVI MVNI FMOV",
    ),
    ("AArch64ISD::VSHL", "SHL SSHLL USHLL ADD"),
    ("AArch64ISD::VLSHR", "USHR SHRN USRA"),
    ("AArch64ISD::VASHR", "SSHR SSRA CM"),
    (
        "AArch64ISD::ZIP1 AArch64ISD::ZIP2 AArch64ISD::UZP1 AArch64ISD::UZP2 AArch64ISD::TRN1 AArch64ISD::TRN2",
        "ZIP UZP TRN XTN SHRN",
    ),
    ("AArch64ISD::EXT", "EXT"),
    ("AArch64ISD::REV16 AArch64ISD::REV32 AArch64ISD::REV64", "REV"),
    ("AArch64ISD::SMULL AArch64ISD::UMULL", "SMULL UMULL SMLAL UMLAL"),
    ("AArch64ISD::BIC AArch64ISD::BICi", "BIC"),
    ("AArch64ISD::ORRi", "ORR"),
    ("AArch64ISD::BSP", "BSP BSL BIT BIF"),
    (
        "AArch64ISD::FCMEQ AArch64ISD::FCMGE AArch64ISD::FCMGT AArch64ISD::CMEQ AArch64ISD::CMGE AArch64ISD::CMGT \
      AArch64ISD::CMHI AArch64ISD::CMHS",
        "FCM CM",
    ),
    ("AArch64ISD::SITOF AArch64ISD::UITOF", "SCVTF UCVTF"),
    (
        "AArch64ISD::UADDV AArch64ISD::SADDV AArch64ISD::UADDLV AArch64ISD::SADDLV",
        "ADDV UADDLV SADDLV ADDP INSERT",
    ),
    ("AArch64ISD::TLSDESC_CALLSEQ AArch64ISD::THREAD_POINTER", "TLSDESC MRS MOVbaseTLS"),
    ("AArch64ISD::LDP AArch64ISD::STP AArch64ISD::STNP", "LDP STP STNP"),
    ("AArch64ISD::NVCAST", "COPY"),
    ("AArch64ISD::PREFETCH", "PRFM"),
    ("AArch64ISD::ST2post AArch64ISD::ST3post AArch64ISD::ST4post", "ST2 ST3 ST4"),
    ("AArch64ISD::LD2post AArch64ISD::LD3post AArch64ISD::LD4post", "LD2 LD3 LD4"),
    ("RISCVISD::CALL", "PseudoCALL"),
    ("RISCVISD::TAIL", "PseudoTAIL"),
    ("RISCVISD::RET_GLUE", "PseudoRET"),
    ("RISCVISD::BR_CC", "B"),
    ("RISCVISD::SELECT_CC", "Select CZERO PseudoCCMOV"),
    ("RISCVISD::ADD_LO", "ADDI"),
    ("RISCVISD::HI", "LUI"),
    ("RISCVISD::LLA RISCVISD::LA RISCVISD::LGA", "PseudoLLA PseudoLA PseudoLGA"),
    ("RISCVISD::ADD_TPREL", "PseudoAddTPRel"),
    ("RISCVISD::FROUND", "PseudoFROUND"),
    ("RISCVISD::SLLW", "SLLW"),
    ("RISCVISD::SRLW", "SRLW"),
    ("RISCVISD::SRAW", "SRAW"),
    ("RISCVISD::DIVW RISCVISD::DIVUW", "DIVW DIVUW"),
    ("RISCVISD::REMUW", "REMUW REMW"),
    ("RISCVISD::FMV_X_ANYEXTW_RV64 RISCVISD::FMV_W_X_RV64 RISCVISD::FMV_X_SIGNEXTH", "FMV FSGNJ"),
    ("RISCVISD::FCVT_X RISCVISD::FCVT_XU RISCVISD::FCVT_W_RV64 RISCVISD::FCVT_WU_RV64", "FCVT"),
];

/// Whether this operation may be selected as that instruction; nothing if the table does not know the operation.
pub(crate) fn is_possible(operation: &str, opcode: &str) -> Option<bool> {
    // An intrinsic of a machine is what its name says.
    if operation.starts_with("llvm.") {
        return Some(true);
    }
    let mut rows =
        TABLE.iter().filter(|(operations, _)| operations.split_whitespace().any(|one| one == operation));
    let (_, mnemonics) = rows.next()?;
    let bare = opcode.strip_prefix('V').unwrap_or(opcode);
    Some(mnemonics.split_whitespace().any(|start| opcode.starts_with(start) || bare.starts_with(start)))
}

#[test]
fn the_table_has_each_operation_once() {
    let mut known = std::collections::BTreeSet::new();
    for operation in TABLE.iter().flat_map(|(operations, _)| operations.split_whitespace()) {
        assert!(known.insert(operation), "{operation} stands in two rows");
    }
    assert_eq!(is_possible("add", "MOVSX64rr32"), Some(false));
    assert_eq!(is_possible("add", "LEA64_32r"), Some(true));
    assert_eq!(is_possible("store", "ADD32mr"), Some(true));
    assert_eq!(is_possible("fmul", "VMULSDrr"), Some(true));
    assert_eq!(is_possible("no such", "ADD"), None);
}
