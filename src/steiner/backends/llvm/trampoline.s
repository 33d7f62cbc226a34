# written by tools.trampoline with LLVM 22.1.0 of trampoline.ll, 2d2043b210cf8fc77ecbcf110792e3cfac08e822f80bd0cd454717d24616dd92
	.text
	.globl	call
	.p2align	4
	.type	call,@function
call:
	pushq	%rbp
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	subq	$424, %rsp
	movq	%rcx, 88(%rsp)
	movq	%rsi, 56(%rsp)
	movq	16(%rdi), %rbx
	movq	8(%rbx), %rax
	movq	%rax, 176(%rsp)
	movq	16(%rbx), %rcx
	movq	112(%rbx), %rax
	movq	%rax, 184(%rsp)
	cmpq	$0, (%rbx)
	sete	%al
	movq	%rcx, 72(%rsp)
	movq	%rdx, 128(%rsp)
	cmpq	%rcx, %rdx
	setne	%cl
	orb	%al, %cl
	jne	.LBB0_52
	movq	24(%rbx), %rax
	movq	%rax, 40(%rsp)
	movq	32(%rbx), %rax
	movq	%rax, 168(%rsp)
	movq	40(%rbx), %rax
	movq	%rax, 48(%rsp)
	movq	48(%rbx), %rax
	movq	%rax, 152(%rsp)
	movq	56(%rbx), %rax
	movq	%rax, 32(%rsp)
	movq	64(%rbx), %rax
	movq	%rax, 80(%rsp)
	movq	72(%rbx), %rax
	movq	%rax, 104(%rsp)
	movq	80(%rbx), %r11
	movq	88(%rbx), %rdx
	movq	96(%rbx), %rax
	movq	%rax, 120(%rsp)
	movq	120(%rbx), %rax
	movq	%rax, 64(%rsp)
	movq	128(%rbx), %rax
	movq	%rax, 112(%rsp)
	movq	136(%rbx), %rax
	movq	%rax, 136(%rsp)
	movq	144(%rbx), %rax
	movq	%rax, 160(%rsp)
	movq	152(%rbx), %rax
	movq	%rax, 144(%rsp)
	movq	160(%rbx), %rax
	movq	%rax, 24(%rsp)
	movq	168(%rbx), %rax
	movq	%rax, 16(%rsp)
	movq	88(%rsp), %rax
	testq	%rax, %rax
	je	.LBB0_2
	cmpq	$1, 16(%rax)
	jne	.LBB0_52
	movq	104(%rbx), %rax
	movq	88(%rsp), %rcx
	cmpq	%rax, 24(%rcx)
	je	.LBB0_5
.LBB0_52:
	movq	176(%rsp), %rdi
	movq	56(%rsp), %rsi
	movq	128(%rsp), %rdx
	movq	88(%rsp), %rcx
	callq	*184(%rsp)
.LBB0_34:
	addq	$424, %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	retq
.LBB0_2:
	movq	$0, 8(%rsp)
	jmp	.LBB0_6
.LBB0_5:
	movq	128(%rsp), %rax
	movq	56(%rsp), %rcx
	movq	(%rcx,%rax,8), %rax
	movq	%rax, 8(%rsp)
.LBB0_6:
	movq	$-1, %rbp
	xorl	%r14d, %r14d
	.p2align	4
.LBB0_7:
	movq	56(%rsp), %rax
	movq	(%rax,%r14,8), %r13
	movq	%r13, %rdi
	movq	%r11, %rsi
	movq	%rdx, %r15
	movl	$257, %ecx
	movq	%r11, %r12
	callq	is_array
	testb	$1, %al
	je	.LBB0_52
	movq	%r12, %r11
	movl	24(%r13), %eax
	cmpl	$1, %eax
	je	.LBB0_10
	cmpl	$2, %eax
	jne	.LBB0_52
.LBB0_10:
	xorl	%r9d, %r9d
	cmpl	$1, %eax
	sete	%sil
	setne	%r9b
	movq	32(%r13), %r10
	movq	(%r10), %rdx
	movq	176(%rbx,%r14,8), %rcx
	cmpq	%rbp, %rdx
	sete	%dil
	testq	%rbp, %rbp
	sets	%r8b
	cmpq	%rcx, (%r10,%r9,8)
	jne	.LBB0_52
	orb	%r8b, %sil
	orb	%sil, %dil
	je	.LBB0_52
	shlq	$3, %rcx
	cmpl	$1, %eax
	cmovneq	%rdx, %rbp
	movq	16(%r13), %rax
	movl	$0, %edx
	cmovneq	%rcx, %rdx
	movq	%rax, 296(%rsp,%r14,8)
	movq	%rdx, 360(%rsp,%r14,8)
	incq	%r14
	cmpq	72(%rsp), %r14
	movq	%r15, %rdx
	jl	.LBB0_7
	testq	%rbp, %rbp
	movl	$1, %ecx
	cmovnsq	%rbp, %rcx
	movq	48(%rsp), %rax
	cmovsq	168(%rsp), %rax
	movq	%rax, 48(%rsp)
	testq	%rcx, %rcx
	jle	.LBB0_52
	cmpq	152(%rsp), %rcx
	jg	.LBB0_52
	cmpq	$0, 48(%rsp)
	je	.LBB0_52
	cmpq	$1, 40(%rsp)
	jne	.LBB0_17
	leaq	240(%rbx), %rsi
	movq	8(%rsp), %rdi
	testq	%rdi, %rdi
	leaq	176(%rbx), %r9
	movq	80(%rsp), %rax
	je	.LBB0_39
	leaq	264(%rsp), %rax
	shrq	$63, %rbp
	leaq	296(%rsp), %r8
	movl	%ebp, %edx
	movq	%rcx, %r13
	pushq	%rax
	pushq	%r15
	pushq	%r11
	pushq	96(%rsp)
	callq	place
	addq	$32, %rsp
	testq	%rax, %rax
	je	.LBB0_52
	movq	%rax, %r15
	movq	8(%rsp), %r14
.LBB0_50:
	movq	%r14, %rdi
	callq	*64(%rsp)
.LBB0_51:
	movq	32(%rsp), %r9
	movq	24(%rsp), %rax
	movq	16(%rsp), %r10
	movq	%r15, 232(%rsp)
	leaq	296(%rsp), %rsi
	leaq	360(%rsp), %rdx
	leaq	232(%rsp), %rcx
	movq	48(%rsp), %rdi
	movq	%r13, %r8
	pushq	%r10
	pushq	%rax
	callq	run
	addq	$16, %rsp
	movq	%r14, %rax
	jmp	.LBB0_34
.LBB0_17:
	movq	8(%rsp), %rax
	testq	%rax, %rax
	je	.LBB0_29
	movq	144(%rsp), %rdx
	cmpq	%rdx, 8(%rax)
	jne	.LBB0_52
	movq	8(%rsp), %rax
	movq	40(%rsp), %rdx
	cmpq	%rdx, 16(%rax)
	jne	.LBB0_52
	xorl	%r14d, %r14d
	shrq	$63, %rbp
	movq	%rcx, 96(%rsp)
.LBB0_21:
	movq	8(%rsp), %rax
	movq	24(%rax,%r14,8), %rdi
	leaq	(%r14,%r14,4), %rax
	leaq	(%rbx,%rax,8), %rsi
	addq	$240, %rsi
	leaq	264(%rsp,%r14,8), %r13
	movl	%ebp, %edx
	leaq	296(%rsp), %r8
	leaq	176(%rbx), %r9
	pushq	%r13
	pushq	%r15
	pushq	%r11
	pushq	96(%rsp)
	callq	place
	movq	128(%rsp), %rcx
	addq	$32, %rsp
	testq	%rax, %rax
	je	.LBB0_52
	movq	%r12, %r11
	xorl	%esi, %esi
	jmp	.LBB0_23
.LBB0_26:
	incq	%rsi
.LBB0_23:
	cmpq	%r14, %rsi
	jge	.LBB0_27
	cmpq	%rax, 264(%rsp,%rsi,8)
	jbe	.LBB0_26
	movq	(%r13), %rdx
	cmpq	%rdx, 232(%rsp,%rsi,8)
	jae	.LBB0_26
	jmp	.LBB0_52
.LBB0_27:
	movq	%rax, 232(%rsp,%r14,8)
	incq	%r14
	cmpq	40(%rsp), %r14
	jl	.LBB0_21
	movq	8(%rsp), %rdi
	callq	*64(%rsp)
	movq	96(%rsp), %r8
	jmp	.LBB0_37
.LBB0_39:
	testq	%rbp, %rbp
	movq	72(%rsp), %r12
	js	.LBB0_40
.LBB0_44:
	movq	%rcx, %r13
	movq	%rcx, 192(%rsp)
	leaq	200(%rsp), %r15
	movq	(%rsi), %r14
	addq	$8, %rsi
	leaq	(,%r14,8), %rdx
	movq	%r15, %rdi
	movq	%r11, %r12
	callq	memcpy@PLT
	xorl	%eax, %eax
	testq	%rbp, %rbp
	setns	%al
	leaq	192(%rsp), %rdx
	cmovsq	%r15, %rdx
	addl	%eax, %r14d
	subq	$8, %rsp
	movq	%r12, %rdi
	movl	%r14d, %esi
	movl	$12, %ecx
	xorl	%r8d, %r8d
	xorl	%r9d, %r9d
	pushq	$0
	pushq	$0
	pushq	$0
	callq	*152(%rsp)
	addq	$32, %rsp
	testq	%rax, %rax
	je	.LBB0_33
	movq	%rax, %r14
	movq	16(%rax), %r15
	testq	%rbp, %rbp
	jns	.LBB0_51
	movq	%r14, %rdi
	callq	*64(%rsp)
	movq	64(%rbx), %rax
	movq	72(%rbx), %rdi
	movq	%rax, 72(%rbx)
	movq	%r14, 64(%rbx)
	testq	%rdi, %rdi
	je	.LBB0_51
	callq	*112(%rsp)
	jmp	.LBB0_51
.LBB0_29:
	movq	%rcx, %r13
	movq	40(%rsp), %rdi
	callq	*136(%rsp)
	testq	%rax, %rax
	je	.LBB0_33
	movq	%rax, 8(%rsp)
	addq	$248, %rbx
	xorl	%r15d, %r15d
.LBB0_31:
	xorl	%esi, %esi
	testq	%rbp, %rbp
	leaq	192(%rsp), %rdx
	leaq	200(%rsp), %rax
	cmovsq	%rax, %rdx
	setns	%sil
	addl	-8(%rbx), %esi
	movq	%r13, 192(%rsp)
	movups	(%rbx), %xmm0
	movups	16(%rbx), %xmm1
	movups	%xmm1, 216(%rsp)
	movups	%xmm0, 200(%rsp)
	subq	$8, %rsp
	movq	%r12, %rdi
	movl	$12, %ecx
	xorl	%r8d, %r8d
	xorl	%r9d, %r9d
	pushq	$0
	pushq	$0
	pushq	$0
	callq	*152(%rsp)
	addq	$32, %rsp
	testq	%rax, %rax
	je	.LBB0_32
	movq	%rax, %r14
	movq	8(%rsp), %rdi
	movq	%r15, %rsi
	movq	%rax, %rdx
	callq	*160(%rsp)
	movq	16(%r14), %rax
	movq	%rax, 232(%rsp,%r15,8)
	incq	%r15
	addq	$40, %rbx
	cmpq	40(%rsp), %r15
	jl	.LBB0_31
	movq	%r13, %r8
.LBB0_37:
	leaq	296(%rsp), %rsi
	leaq	360(%rsp), %rdx
	leaq	232(%rsp), %rcx
	movq	48(%rsp), %rdi
	movq	32(%rsp), %r9
	pushq	16(%rsp)
	pushq	32(%rsp)
	callq	run
	addq	$16, %rsp
	movq	8(%rsp), %rax
	jmp	.LBB0_34
.LBB0_40:
	movq	%rcx, %r13
	leaq	264(%rsp), %r10
	leaq	296(%rsp), %rdx
	movq	%rax, %rdi
	movq	%r9, %rcx
	movq	%r12, %r8
	movq	%r9, 56(%rsp)
	movq	%r11, %r9
	pushq	%r10
	pushq	%r15
	movq	%r11, %r14
	callq	unheld
	addq	$16, %rsp
	testq	%rax, %rax
	je	.LBB0_42
	movq	80(%rsp), %r14
	movq	%rax, %r15
	jmp	.LBB0_50
.LBB0_32:
	movq	8(%rsp), %rdi
	callq	*112(%rsp)
.LBB0_33:
	xorl	%eax, %eax
	jmp	.LBB0_34
.LBB0_42:
	leaq	296(%rsp), %rdx
	movq	104(%rsp), %rdi
	leaq	240(%rbx), %rsi
	movq	56(%rsp), %rcx
	movq	%r12, %r8
	movq	%r14, %r9
	leaq	264(%rsp), %rax
	pushq	%rax
	pushq	%r15
	callq	unheld
	addq	$16, %rsp
	movq	%rax, %r15
	testq	%rax, %rax
	movq	%r13, %rcx
	movq	%r14, %r11
	movq	80(%rsp), %rax
	leaq	240(%rbx), %rsi
	je	.LBB0_44
	movq	104(%rsp), %r14
	movq	%r14, 64(%rbx)
	movq	%rax, 72(%rbx)
	jmp	.LBB0_50
.Lfunc_end0:
	.size	call, .Lfunc_end0-call
	.p2align	4
	.type	run,@function
run:
	pushq	%rbp
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	pushq	%rax
	movq	%rcx, %r14
	movq	%rdx, %r15
	movq	%rsi, %r12
	movq	%rdi, %rbx
	cmpq	%r9, %r8
	jg	.LBB1_3
	movq	%r12, %rdi
	movq	%r15, %rsi
	movq	%r14, %rdx
	xorl	%ecx, %ecx
	xorl	%r9d, %r9d
	callq	*%rbx
	jmp	.LBB1_2
.LBB1_3:
	movq	%r8, %r13
	callq	*64(%rsp)
	movq	%rax, %rbp
	movq	%r12, %rdi
	movq	%r15, %rsi
	movq	%r14, %rdx
	xorl	%ecx, %ecx
	movq	%r13, %r8
	xorl	%r9d, %r9d
	callq	*%rbx
	movq	%rbp, %rdi
	callq	*72(%rsp)
.LBB1_2:
	addq	$8, %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	retq
.Lfunc_end1:
	.size	run, .Lfunc_end1-run
	.p2align	4
	.type	is_array,@function
is_array:
	cmpq	%rsi, 8(%rdi)
	je	.LBB2_1
	xorl	%eax, %eax
	retq
.LBB2_1:
	cmpq	%rdx, 56(%rdi)
	sete	%dl
	movl	64(%rdi), %eax
	notl	%eax
	testl	%eax, %ecx
	sete	%al
	andb	%dl, %al
	retq
.Lfunc_end2:
	.size	is_array, .Lfunc_end2-is_array
	.p2align	4
	.type	place,@function
place:
	pushq	%rbp
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	pushq	%rax
	movq	%r9, %rbx
	movq	%r8, %r14
	movq	%rcx, %r15
	movl	%edx, %ebp
	movq	%rsi, %r13
	movq	%rdi, %r12
	movq	72(%rsp), %rsi
	movq	80(%rsp), %rdx
	movl	$1281, %ecx
	callq	is_array
	testb	$1, %al
	je	.LBB3_13
	movq	(%r13), %rax
	movl	%ebp, %ecx
	notb	%cl
	movzbl	%cl, %edx
	andl	$1, %edx
	leaq	(%rax,%rdx), %rcx
	movl	24(%r12), %esi
	cmpq	%rcx, %rsi
	jne	.LBB3_13
	movq	32(%r12), %rdi
	testb	$1, %bpl
	jne	.LBB3_4
	cmpq	%r15, (%rdi)
	jne	.LBB3_13
.LBB3_4:
	movq	88(%rsp), %rsi
	movq	64(%rsp), %rcx
	leaq	(%rdi,%rdx,8), %rdi
	movl	$8, %edx
	xorl	%r8d, %r8d
	cmpq	%rax, %r8
	jge	.LBB3_8
	.p2align	4
.LBB3_6:
	movq	8(%r13,%r8,8), %r9
	cmpq	%r9, (%rdi,%r8,8)
	jne	.LBB3_13
	imulq	%r9, %rdx
	incq	%r8
	cmpq	%rax, %r8
	jl	.LBB3_6
.LBB3_8:
	movq	16(%r12), %rax
	imulq	%r15, %rdx
	addq	%rax, %rdx
	movq	%rdx, (%rsi)
	xorl	%esi, %esi
	jmp	.LBB3_9
	.p2align	4
.LBB3_11:
	incq	%rsi
	cmpq	%rcx, %rsi
	jge	.LBB3_12
.LBB3_9:
	movq	(%r14,%rsi,8), %rdi
	movq	(%rbx,%rsi,8), %r8
	imulq	%r15, %r8
	leaq	(%rdi,%r8,8), %r8
	cmpq	%rax, %r8
	jbe	.LBB3_11
	cmpq	%rdx, %rdi
	jae	.LBB3_11
.LBB3_13:
	xorl	%eax, %eax
.LBB3_12:
	addq	$8, %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	retq
.Lfunc_end3:
	.size	place, .Lfunc_end3-place
	.p2align	4
	.type	unheld,@function
unheld:
	testq	%rdi, %rdi
	je	.LBB4_4
	cmpl	$1, (%rdi)
	jne	.LBB4_4
	movq	48(%rdi), %rax
	orq	72(%rdi), %rax
	jne	.LBB4_4
	pushq	%rax
	movq	%rcx, %rax
	movl	$1, %ecx
	movq	%rdx, %r10
	movl	$1, %edx
	movq	%r8, %r11
	movq	%r10, %r8
	movq	%r9, %r10
	movq	%rax, %r9
	pushq	24(%rsp)
	pushq	24(%rsp)
	pushq	%r10
	pushq	%r11
	callq	place
	addq	$32, %rsp
	popq	%rcx
	retq
.LBB4_4:
	xorl	%eax, %eax
	retq
.Lfunc_end4:
	.size	unheld, .Lfunc_end4-unheld
