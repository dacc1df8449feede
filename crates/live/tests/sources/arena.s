	.section .opcost.arena,"ax",@progbits
	.balign 4096
	.globl arena
arena:
	.zero 262144
	.globl arena_end
arena_end:
	.section .opcost.frames,"aw",@progbits
	.balign 4096
	.globl frames
frames:
	.fill 524288, 1, 1
	.section .note.GNU-stack,"",@progbits
