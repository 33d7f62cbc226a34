# written by tools.trampoline with LLVM 22.1.0 of trampoline.ll, f1ef09627482f40bb227e6f0dd7a5f2c03a8c7f95bf43cafed64159efe1590d4
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
	subq	$392, %rsp
	movq	%rcx, 56(%rsp)
	movq	%rsi, 32(%rsp)
	movq	16(%rdi), %rbx
	movq	8(%rbx), %rax
	movq	%rax, 144(%rsp)
	movq	16(%rbx), %rcx
	movq	104(%rbx), %rax
	movq	%rax, 152(%rsp)
	cmpq	$0, (%rbx)
	sete	%al
	movq	%rcx, 48(%rsp)
	movq	%rdx, 88(%rsp)
	cmpq	%rcx, %rdx
	setne	%cl
	orb	%al, %cl
	jne	.LBB0_52
	movq	24(%rbx), %rax
	movq	%rax, 16(%rsp)
	movq	32(%rbx), %rax
	movq	%rax, 136(%rsp)
	movq	40(%rbx), %rax
	movq	%rax, 24(%rsp)
	movq	48(%rbx), %rax
	movq	%rax, 120(%rsp)
	movq	56(%rbx), %rax
	movq	%rax, 112(%rsp)
	movq	64(%rbx), %rax
	movq	%rax, 64(%rsp)
	movq	72(%rbx), %r11
	movq	80(%rbx), %rdx
	movq	88(%rbx), %rax
	movq	%rax, 80(%rsp)
	movq	112(%rbx), %rax
	movq	%rax, 40(%rsp)
	movq	120(%rbx), %rax
	movq	%rax, 72(%rsp)
	movq	128(%rbx), %rax
	movq	%rax, 96(%rsp)
	movq	136(%rbx), %rax
	movq	%rax, 128(%rsp)
	movq	144(%rbx), %rax
	movq	%rax, 104(%rsp)
	movq	56(%rsp), %rax
	testq	%rax, %rax
	je	.LBB0_2
	cmpq	$1, 16(%rax)
	jne	.LBB0_52
	movq	96(%rbx), %rax
	movq	56(%rsp), %rcx
	cmpq	%rax, 24(%rcx)
	je	.LBB0_5
.LBB0_52:
	movq	144(%rsp), %rdi
	movq	32(%rsp), %rsi
	movq	88(%rsp), %rdx
	movq	56(%rsp), %rcx
	callq	*152(%rsp)
.LBB0_34:
	addq	$392, %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	retq
.LBB0_2:
	movq	$0, (%rsp)
	jmp	.LBB0_6
.LBB0_5:
	movq	88(%rsp), %rax
	movq	32(%rsp), %rcx
	movq	(%rcx,%rax,8), %rax
	movq	%rax, (%rsp)
.LBB0_6:
	movq	$-1, %r12
	xorl	%r14d, %r14d
	.p2align	4
.LBB0_7:
	movq	32(%rsp), %rax
	movq	(%rax,%r14,8), %r15
	movq	%r15, %rdi
	movq	%r11, %rsi
	movq	%rdx, %r13
	movl	$257, %ecx
	movq	%r11, %rbp
	callq	is_array
	testb	$1, %al
	je	.LBB0_52
	movq	%rbp, %r11
	movl	24(%r15), %eax
	cmpl	$1, %eax
	je	.LBB0_10
	cmpl	$2, %eax
	jne	.LBB0_52
.LBB0_10:
	xorl	%r9d, %r9d
	cmpl	$1, %eax
	sete	%sil
	setne	%r9b
	movq	32(%r15), %r10
	movq	(%r10), %rdx
	movq	152(%rbx,%r14,8), %rcx
	cmpq	%r12, %rdx
	sete	%dil
	testq	%r12, %r12
	sets	%r8b
	cmpq	%rcx, (%r10,%r9,8)
	jne	.LBB0_52
	orb	%r8b, %sil
	orb	%sil, %dil
	je	.LBB0_52
	shlq	$3, %rcx
	cmpl	$1, %eax
	cmovneq	%rdx, %r12
	movq	16(%r15), %rax
	movl	$0, %edx
	cmovneq	%rcx, %rdx
	movq	%rax, 264(%rsp,%r14,8)
	movq	%rdx, 328(%rsp,%r14,8)
	incq	%r14
	cmpq	48(%rsp), %r14
	movq	%r13, %rdx
	jl	.LBB0_7
	testq	%r12, %r12
	movl	$1, %ecx
	cmovnsq	%r12, %rcx
	movq	24(%rsp), %rax
	cmovsq	136(%rsp), %rax
	movq	%rax, 24(%rsp)
	testq	%rcx, %rcx
	jle	.LBB0_52
	cmpq	120(%rsp), %rcx
	jg	.LBB0_52
	cmpq	$0, 24(%rsp)
	je	.LBB0_52
	cmpq	$1, 16(%rsp)
	jne	.LBB0_17
	leaq	216(%rbx), %rsi
	movq	(%rsp), %rdi
	testq	%rdi, %rdi
	leaq	152(%rbx), %r9
	movq	112(%rsp), %r14
	movq	%rcx, 8(%rsp)
	je	.LBB0_39
	leaq	232(%rsp), %rax
	shrq	$63, %r12
	leaq	264(%rsp), %r8
	movl	%r12d, %edx
	pushq	%rax
	pushq	%r13
	pushq	%r11
	pushq	72(%rsp)
	callq	place
	addq	$32, %rsp
	testq	%rax, %rax
	je	.LBB0_52
	movq	%rax, %r13
	movq	(%rsp), %r14
.LBB0_50:
	movq	%r14, %rdi
	callq	*40(%rsp)
.LBB0_51:
	movq	%r13, 200(%rsp)
	leaq	264(%rsp), %rdi
	leaq	328(%rsp), %rsi
	leaq	200(%rsp), %rdx
	xorl	%ecx, %ecx
	movq	8(%rsp), %r8
	xorl	%r9d, %r9d
	callq	*24(%rsp)
	movq	%r14, %rax
	jmp	.LBB0_34
.LBB0_17:
	movq	(%rsp), %rax
	testq	%rax, %rax
	je	.LBB0_29
	movq	104(%rsp), %rdx
	cmpq	%rdx, 8(%rax)
	jne	.LBB0_52
	movq	(%rsp), %rax
	movq	16(%rsp), %rdx
	cmpq	%rdx, 16(%rax)
	jne	.LBB0_52
	xorl	%r14d, %r14d
	shrq	$63, %r12
	movq	%rcx, 8(%rsp)
.LBB0_21:
	movq	(%rsp), %rax
	movq	24(%rax,%r14,8), %rdi
	leaq	(%r14,%r14,4), %rax
	leaq	(%rbx,%rax,8), %rsi
	addq	$216, %rsi
	leaq	232(%rsp,%r14,8), %r15
	movl	%r12d, %edx
	leaq	264(%rsp), %r8
	leaq	152(%rbx), %r9
	pushq	%r15
	pushq	%r13
	pushq	%r11
	pushq	72(%rsp)
	callq	place
	movq	40(%rsp), %rcx
	addq	$32, %rsp
	testq	%rax, %rax
	je	.LBB0_52
	movq	%rbp, %r11
	xorl	%esi, %esi
	jmp	.LBB0_23
.LBB0_26:
	incq	%rsi
.LBB0_23:
	cmpq	%r14, %rsi
	jge	.LBB0_27
	cmpq	%rax, 232(%rsp,%rsi,8)
	jbe	.LBB0_26
	movq	(%r15), %rdx
	cmpq	%rdx, 200(%rsp,%rsi,8)
	jae	.LBB0_26
	jmp	.LBB0_52
.LBB0_27:
	movq	%rax, 200(%rsp,%r14,8)
	incq	%r14
	cmpq	16(%rsp), %r14
	jl	.LBB0_21
	movq	(%rsp), %rdi
	callq	*40(%rsp)
	movq	8(%rsp), %r8
	jmp	.LBB0_37
.LBB0_39:
	testq	%r12, %r12
	js	.LBB0_40
.LBB0_44:
	movq	%rcx, 160(%rsp)
	leaq	168(%rsp), %r15
	movq	(%rsi), %r14
	addq	$8, %rsi
	leaq	(,%r14,8), %rdx
	movq	%r15, %rdi
	movq	%r11, %r13
	callq	memcpy@PLT
	xorl	%eax, %eax
	testq	%r12, %r12
	setns	%al
	leaq	160(%rsp), %rdx
	cmovsq	%r15, %rdx
	addl	%eax, %r14d
	subq	$8, %rsp
	movq	%r13, %rdi
	movl	%r14d, %esi
	movl	$12, %ecx
	xorl	%r8d, %r8d
	xorl	%r9d, %r9d
	pushq	$0
	pushq	$0
	pushq	$0
	callq	*112(%rsp)
	addq	$32, %rsp
	testq	%rax, %rax
	je	.LBB0_33
	movq	%rax, %r14
	movq	16(%rax), %r13
	testq	%r12, %r12
	jns	.LBB0_51
	movq	%r14, %rdi
	callq	*40(%rsp)
	movq	56(%rbx), %rax
	movq	64(%rbx), %rdi
	movq	%rax, 64(%rbx)
	movq	%r14, 56(%rbx)
	testq	%rdi, %rdi
	je	.LBB0_51
	callq	*72(%rsp)
	jmp	.LBB0_51
.LBB0_29:
	movq	%rcx, %r13
	movq	16(%rsp), %rdi
	callq	*96(%rsp)
	testq	%rax, %rax
	je	.LBB0_33
	movq	%rax, (%rsp)
	addq	$224, %rbx
	xorl	%r15d, %r15d
.LBB0_31:
	xorl	%esi, %esi
	testq	%r12, %r12
	leaq	160(%rsp), %rdx
	leaq	168(%rsp), %rax
	cmovsq	%rax, %rdx
	setns	%sil
	addl	-8(%rbx), %esi
	movq	%r13, 160(%rsp)
	movups	(%rbx), %xmm0
	movups	16(%rbx), %xmm1
	movups	%xmm1, 184(%rsp)
	movups	%xmm0, 168(%rsp)
	subq	$8, %rsp
	movq	%rbp, %rdi
	movl	$12, %ecx
	xorl	%r8d, %r8d
	xorl	%r9d, %r9d
	pushq	$0
	pushq	$0
	pushq	$0
	callq	*112(%rsp)
	addq	$32, %rsp
	testq	%rax, %rax
	je	.LBB0_32
	movq	%rax, %r14
	movq	(%rsp), %rdi
	movq	%r15, %rsi
	movq	%rax, %rdx
	callq	*128(%rsp)
	movq	16(%r14), %rax
	movq	%rax, 200(%rsp,%r15,8)
	incq	%r15
	addq	$40, %rbx
	cmpq	16(%rsp), %r15
	jl	.LBB0_31
	movq	%r13, %r8
.LBB0_37:
	leaq	264(%rsp), %rdi
	leaq	328(%rsp), %rsi
	leaq	200(%rsp), %rdx
	xorl	%ecx, %ecx
	xorl	%r9d, %r9d
	callq	*24(%rsp)
	movq	(%rsp), %rax
	jmp	.LBB0_34
.LBB0_40:
	leaq	232(%rsp), %r10
	leaq	264(%rsp), %rdx
	movq	%r14, %rdi
	movq	%r9, %rcx
	movq	48(%rsp), %rbp
	movq	%rbp, %r8
	movq	%r9, 32(%rsp)
	movq	%r11, %r9
	pushq	%r10
	pushq	%r13
	movq	%r11, %r15
	callq	unheld
	addq	$16, %rsp
	testq	%rax, %rax
	je	.LBB0_42
	movq	%rax, %r13
	jmp	.LBB0_50
.LBB0_32:
	movq	(%rsp), %rdi
	callq	*72(%rsp)
.LBB0_33:
	xorl	%eax, %eax
	jmp	.LBB0_34
.LBB0_42:
	leaq	264(%rsp), %rdx
	movq	64(%rsp), %rdi
	leaq	216(%rbx), %rsi
	movq	32(%rsp), %rcx
	movq	%rbp, %r8
	movq	%r15, %r9
	leaq	232(%rsp), %rax
	pushq	%rax
	pushq	%r13
	callq	unheld
	addq	$16, %rsp
	testq	%rax, %rax
	movq	8(%rsp), %rcx
	movq	%r15, %r11
	leaq	216(%rbx), %rsi
	je	.LBB0_44
	movq	%rax, %r13
	movq	%r14, %rax
	movq	64(%rsp), %r14
	movq	%r14, 56(%rbx)
	movq	%rax, 64(%rbx)
	jmp	.LBB0_50
.Lfunc_end0:
	.size	call, .Lfunc_end0-call
	.p2align	4
	.type	is_array,@function
is_array:
	cmpq	%rsi, 8(%rdi)
	je	.LBB1_1
	xorl	%eax, %eax
	retq
.LBB1_1:
	cmpq	%rdx, 56(%rdi)
	sete	%dl
	movl	64(%rdi), %eax
	notl	%eax
	testl	%eax, %ecx
	sete	%al
	andb	%dl, %al
	retq
.Lfunc_end1:
	.size	is_array, .Lfunc_end1-is_array
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
	je	.LBB2_13
	movq	(%r13), %rax
	movl	%ebp, %ecx
	notb	%cl
	movzbl	%cl, %edx
	andl	$1, %edx
	leaq	(%rax,%rdx), %rcx
	movl	24(%r12), %esi
	cmpq	%rcx, %rsi
	jne	.LBB2_13
	movq	32(%r12), %rdi
	testb	$1, %bpl
	jne	.LBB2_4
	cmpq	%r15, (%rdi)
	jne	.LBB2_13
.LBB2_4:
	movq	88(%rsp), %rsi
	movq	64(%rsp), %rcx
	leaq	(%rdi,%rdx,8), %rdi
	movl	$8, %edx
	xorl	%r8d, %r8d
	cmpq	%rax, %r8
	jge	.LBB2_8
	.p2align	4
.LBB2_6:
	movq	8(%r13,%r8,8), %r9
	cmpq	%r9, (%rdi,%r8,8)
	jne	.LBB2_13
	imulq	%r9, %rdx
	incq	%r8
	cmpq	%rax, %r8
	jl	.LBB2_6
.LBB2_8:
	movq	16(%r12), %rax
	imulq	%r15, %rdx
	addq	%rax, %rdx
	movq	%rdx, (%rsi)
	xorl	%esi, %esi
	jmp	.LBB2_9
	.p2align	4
.LBB2_11:
	incq	%rsi
	cmpq	%rcx, %rsi
	jge	.LBB2_12
.LBB2_9:
	movq	(%r14,%rsi,8), %rdi
	movq	(%rbx,%rsi,8), %r8
	imulq	%r15, %r8
	leaq	(%rdi,%r8,8), %r8
	cmpq	%rax, %r8
	jbe	.LBB2_11
	cmpq	%rdx, %rdi
	jae	.LBB2_11
.LBB2_13:
	xorl	%eax, %eax
.LBB2_12:
	addq	$8, %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	retq
.Lfunc_end2:
	.size	place, .Lfunc_end2-place
	.p2align	4
	.type	unheld,@function
unheld:
	testq	%rdi, %rdi
	je	.LBB3_4
	cmpl	$1, (%rdi)
	jne	.LBB3_4
	movq	48(%rdi), %rax
	orq	72(%rdi), %rax
	jne	.LBB3_4
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
.LBB3_4:
	xorl	%eax, %eax
	retq
.Lfunc_end3:
	.size	unheld, .Lfunc_end3-unheld
