; The native function behind robot methods: METH_FASTCALL | METH_KEYWORDS.
;
; Checks that the arguments are plain float64 arrays of the right lengths, one configuration each or a
; batch of equally many rows, and out= likewise; then calls the kernel.  Everything else goes to the
; Python function of the context.  $${...} are filled in by fastcall.py.
;
; The context keeps the last two results of single calls and gives one again when nobody else holds it: of two, for
; in `tau = f(q)` the name holds the last while the next is computed.

define ptr @call(ptr %self, ptr %args, i64 %nargs, ptr %names) nounwind {
entry:
  %ins = alloca [${MOST_ARRAYS} x ptr]
  %strides = alloca [${MOST_ARRAYS} x i64]
  %outs = alloca [${MOST_OUTPUTS} x ptr]
  %ends = alloca [${MOST_OUTPUTS} x i64]
  %dims = alloca [${MOST_DIMENSIONS_AND_ONE} x i64]
  %cp = getelementptr i8, ptr %self, i64 ${DATA}
  %ctx = load ptr, ptr %cp
${FIELDS}
  %p_sizes = getelementptr i8, ptr %ctx, i64 ${SIZES}
  %is_ready = icmp ne i64 %ready, 0
  %fits = icmp eq i64 %nargs, %arrays
  %plain = and i1 %is_ready, %fits
  br i1 %plain, label %keywords, label %slowly
keywords:
  %none = icmp eq ptr %names, null
  br i1 %none, label %head, label %named
named:
  %np = getelementptr i8, ptr %names, i64 16
  %nn = load i64, ptr %np
  %one = icmp eq i64 %nn, 1
  br i1 %one, label %named1, label %slowly
named1:
  %kp = getelementptr i8, ptr %names, i64 ${TUPLE_ITEMS}
  %key = load ptr, ptr %kp
  %is_out = icmp eq ptr %key, %out_name
  %op = getelementptr ptr, ptr %args, i64 %nargs
  %given = load ptr, ptr %op
  br i1 %is_out, label %head, label %slowly
head:
  %out = phi ptr [null, %keywords], [%given, %named1]
  br label %next
next:
  %j = phi i64 [0, %head], [%j2, %accepted]
  %rows = phi i64 [-1, %head], [%rows2, %accepted]
  %ap = getelementptr ptr, ptr %args, i64 %j
  %a = load ptr, ptr %ap
  %ok = call i1 @is_array(ptr %a, ptr %ndarray, ptr %float64, i32 ${CONTIGUOUS_ALIGNED})
  br i1 %ok, label %shape, label %slowly
shape:
  %ndp = getelementptr i8, ptr %a, i64 ${NDIM}
  %nd = load i32, ptr %ndp
  %nd1 = icmp eq i32 %nd, 1
  %nd2 = icmp eq i32 %nd, 2
  %few = or i1 %nd1, %nd2
  br i1 %few, label %lengths, label %slowly
lengths:
  %shp = getelementptr i8, ptr %a, i64 ${SHAPE_AT}
  %sh = load ptr, ptr %shp
  %first = load i64, ptr %sh
  %last_at = select i1 %nd1, i64 0, i64 1
  %lp = getelementptr i64, ptr %sh, i64 %last_at
  %last = load i64, ptr %lp
  %szo = mul i64 %j, 8
  %szo2 = add i64 %szo, ${SIZES}
  %szp = getelementptr i8, ptr %ctx, i64 %szo2
  %size = load i64, ptr %szp
  %long = icmp eq i64 %last, %size
  %same = icmp eq i64 %first, %rows
  %unset = icmp slt i64 %rows, 0
  %r1 = or i1 %same, %unset
  %r2 = or i1 %r1, %nd1
  %good = and i1 %long, %r2
  br i1 %good, label %accepted, label %slowly
accepted:
  %rows2 = select i1 %nd1, i64 %rows, i64 %first
  %dp = getelementptr i8, ptr %a, i64 ${DATA}
  %data = load ptr, ptr %dp
  %ip = getelementptr ptr, ptr %ins, i64 %j
  store ptr %data, ptr %ip
  %wide = mul i64 %size, 8
  %stride = select i1 %nd1, i64 0, i64 %wide
  %sp = getelementptr i64, ptr %strides, i64 %j
  store i64 %stride, ptr %sp
  %j2 = add i64 %j, 1
  %more = icmp slt i64 %j2, %arrays
  br i1 %more, label %next, label %ready_args
ready_args:
  %is_single = icmp slt i64 %rows2, 0
  %count = select i1 %is_single, i64 1, i64 %rows2
  %b1 = icmp sge i64 %count, 1
  %b2 = icmp sle i64 %count, %most_rows
  %b3 = and i1 %b1, %b2
  %kernel = select i1 %is_single, ptr %single, ptr %batch
  %is_loaded = icmp ne ptr %kernel, null
  %b4 = and i1 %b3, %is_loaded
  br i1 %b4, label %results, label %slowly
results:
  %one_result = icmp eq i64 %outputs, 1
  br i1 %one_result, label %result, label %several
several:
  %is_plain = icmp eq ptr %out, null
  br i1 %is_plain, label %pack, label %unpack
unpack:
  %ut = getelementptr i8, ptr %out, i64 ${OB_TYPE}
  %utype = load ptr, ptr %ut
  %is_tuple = icmp eq ptr %utype, %tuple_type
  br i1 %is_tuple, label %as_many, label %slowly
as_many:
  %up = getelementptr i8, ptr %out, i64 16
  %un = load i64, ptr %up
  %un_ok = icmp eq i64 %un, %outputs
  br i1 %un_ok, label %item, label %slowly
item:
  %i = phi i64 [0, %as_many], [%i2, %item_ok]
  %io = mul i64 %i, 8
  %io2 = add i64 %io, ${TUPLE_ITEMS}
  %iip = getelementptr i8, ptr %out, i64 %io2
  %ia = load ptr, ptr %iip
  %iso = mul i64 %i, ${OUTPUT_BYTES}
  %iso2 = add i64 %iso, ${SHAPE}
  %ispec = getelementptr i8, ptr %ctx, i64 %iso2
  %i_end = getelementptr i64, ptr %ends, i64 %i
  %i_data = call ptr @place(ptr %ia, ptr %ispec, i1 %is_single, i64 %count, ptr %ins, ptr %p_sizes, i64 %arrays, ptr %ndarray, ptr %float64, ptr %i_end)
  %i_bad = icmp eq ptr %i_data, null
  br i1 %i_bad, label %slowly, label %others
others:
  %p = phi i64 [0, %item], [%p2, %apart_from]
  %p_all = icmp sge i64 %p, %i
  br i1 %p_all, label %item_ok, label %other
other:
  %pep = getelementptr i64, ptr %ends, i64 %p
  %p_end = load i64, ptr %pep
  %psp = getelementptr ptr, ptr %outs, i64 %p
  %p_start = load i64, ptr %psp
  %i_start = ptrtoint ptr %i_data to i64
  %i_stop = load i64, ptr %i_end
  %p_before = icmp ule i64 %p_end, %i_start
  %p_after = icmp uge i64 %p_start, %i_stop
  %p_apart = or i1 %p_before, %p_after
  br i1 %p_apart, label %apart_from, label %slowly
apart_from:
  %p2 = add i64 %p, 1
  br label %others
item_ok:
  %iop = getelementptr ptr, ptr %outs, i64 %i
  store ptr %i_data, ptr %iop
  %i2 = add i64 %i, 1
  %i_more = icmp slt i64 %i2, %outputs
  br i1 %i_more, label %item, label %take_tuple
take_tuple:
  call void %incref(ptr %out)
  br label %compute_several
pack:
  %tuple = call ptr %tuple_new(i64 %outputs)
  %no_tuple = icmp eq ptr %tuple, null
  br i1 %no_tuple, label %fail, label %each
each:
  %o = phi i64 [0, %pack], [%o2, %packed]
  %oo = mul i64 %o, ${OUTPUT_BYTES}
  %oo2 = add i64 %oo, ${SHAPE}
  %os = getelementptr i8, ptr %ctx, i64 %oo2
  %o_nd = load i64, ptr %os
  %o_shape = getelementptr i8, ptr %os, i64 8
  store i64 %count, ptr %dims
  %o_d1 = getelementptr i64, ptr %dims, i64 1
  call void @llvm.memcpy.p0.p0.i64(ptr %o_d1, ptr %o_shape, i64 ${DIMENSION_BYTES}, i1 0)
  %o_dims = select i1 %is_single, ptr %o_d1, ptr %dims
  %o_extra = select i1 %is_single, i64 0, i64 1
  %o_ndr64 = add i64 %o_nd, %o_extra
  %o_ndr = trunc i64 %o_ndr64 to i32
  %o_new = call ptr %new_array(ptr %ndarray, i32 %o_ndr, ptr %o_dims, i32 ${NPY_DOUBLE}, ptr null, ptr null, i32 0, i32 0, ptr null)
  %o_failed = icmp eq ptr %o_new, null
  br i1 %o_failed, label %drop, label %packed
drop:
  call void %decref(ptr %tuple)
  br label %fail
packed:
  %o_set = call i32 %tuple_set(ptr %tuple, i64 %o, ptr %o_new)
  %o_dp = getelementptr i8, ptr %o_new, i64 ${DATA}
  %o_data = load ptr, ptr %o_dp
  %o_at = getelementptr ptr, ptr %outs, i64 %o
  store ptr %o_data, ptr %o_at
  %o2 = add i64 %o, 1
  %o_more = icmp slt i64 %o2, %outputs
  br i1 %o_more, label %each, label %compute_several
compute_several:
  %tuple_result = phi ptr [%tuple, %packed], [%out, %take_tuple]
  call void @run(ptr %kernel, ptr %ins, ptr %strides, ptr %outs, i64 %count, i64 %quick_rows, ptr %save, ptr %restore)
  ret ptr %tuple_result
result:
  %spec = getelementptr i8, ptr %ctx, i64 ${SHAPE}
  %is_new = icmp eq ptr %out, null
  br i1 %is_new, label %fresh, label %check_out
fresh:
  br i1 %is_single, label %look, label %make
look:
  %kept_data = call ptr @unheld(ptr %kept, ptr %spec, ptr %ins, ptr %p_sizes, i64 %arrays, ptr %ndarray, ptr %float64, ptr %ends)
  %kept_held = icmp eq ptr %kept_data, null
  br i1 %kept_held, label %look_further, label %again
look_further:
  %spare_data = call ptr @unheld(ptr %spare, ptr %spec, ptr %ins, ptr %p_sizes, i64 %arrays, ptr %ndarray, ptr %float64, ptr %ends)
  %spare_held = icmp eq ptr %spare_data, null
  br i1 %spare_held, label %make, label %swap
swap:
  store ptr %spare, ptr %p_kept
  store ptr %kept, ptr %p_spare
  br label %again
again:
  %found = phi ptr [%kept, %look], [%spare, %swap]
  %found_data = phi ptr [%kept_data, %look], [%spare_data, %swap]
  call void %incref(ptr %found)
  br label %compute
make:
  store i64 %count, ptr %dims
  %d1 = getelementptr i64, ptr %dims, i64 1
  %dimensions = load i64, ptr %spec
  %shape_at = getelementptr i8, ptr %spec, i64 8
  %nb = mul i64 %dimensions, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %d1, ptr %shape_at, i64 %nb, i1 0)
  %dim_ptr = select i1 %is_single, ptr %d1, ptr %dims
  %extra = select i1 %is_single, i64 0, i64 1
  %ndr64 = add i64 %dimensions, %extra
  %ndr = trunc i64 %ndr64 to i32
  %made = call ptr %new_array(ptr %ndarray, i32 %ndr, ptr %dim_ptr, i32 ${NPY_DOUBLE}, ptr null, ptr null, i32 0, i32 0, ptr null)
  %failed = icmp eq ptr %made, null
  br i1 %failed, label %fail, label %made_it
made_it:
  %mdp = getelementptr i8, ptr %made, i64 ${DATA}
  %made_data = load ptr, ptr %mdp
  br i1 %is_single, label %keep, label %compute
keep:
  call void %incref(ptr %made)
  %older = load ptr, ptr %p_spare
  %newer = load ptr, ptr %p_kept
  store ptr %newer, ptr %p_spare
  store ptr %made, ptr %p_kept
  %is_none = icmp eq ptr %older, null
  br i1 %is_none, label %compute, label %let_go
let_go:
  call void %decref(ptr %older)
  br label %compute
fail:
  ret ptr null
check_out:
  %out_data = call ptr @place(ptr %out, ptr %spec, i1 %is_single, i64 %count, ptr %ins, ptr %p_sizes, i64 %arrays, ptr %ndarray, ptr %float64, ptr %ends)
  %unfit = icmp eq ptr %out_data, null
  br i1 %unfit, label %slowly, label %take_out
take_out:
  call void %incref(ptr %out)
  br label %compute
compute:
  %result_object = phi ptr [%made, %made_it], [%made, %keep], [%made, %let_go], [%found, %again], [%out, %take_out]
  %rd = phi ptr [%made_data, %made_it], [%made_data, %keep], [%made_data, %let_go], [%found_data, %again], [%out_data, %take_out]
  store ptr %rd, ptr %outs
  call void @run(ptr %kernel, ptr %ins, ptr %strides, ptr %outs, i64 %count, i64 %quick_rows, ptr %save, ptr %restore)
  ret ptr %result_object
slowly:
  %answer = call ptr %vectorcall(ptr %slow, ptr %args, i64 %nargs, ptr %names)
  ret ptr %answer
}
; Many rows are computed without the interpreter's lock: the caller holds the arrays, and the result is held already.
define internal void @run(ptr %kernel, ptr %ins, ptr %strides, ptr %outs, i64 %count, i64 %quick_rows, ptr %save, ptr %restore) nounwind alwaysinline {
  %quick = icmp sle i64 %count, %quick_rows
  br i1 %quick, label %locked, label %unlocked
locked:
  call void %kernel(ptr %ins, ptr %strides, ptr %outs, i64 0, i64 %count, i64 0)
  ret void
unlocked:
  %thread = call ptr %save()
  call void %kernel(ptr %ins, ptr %strides, ptr %outs, i64 0, i64 %count, i64 0)
  call void %restore(ptr %thread)
  ret void
}
define internal i1 @is_array(ptr %a, ptr %ndarray, ptr %float64, i32 %wanted) nounwind alwaysinline {
  %tp = getelementptr i8, ptr %a, i64 ${OB_TYPE}
  %t = load ptr, ptr %tp
  %is = icmp eq ptr %t, %ndarray
  br i1 %is, label %array, label %no
array:
  %dp = getelementptr i8, ptr %a, i64 ${DESCR}
  %d = load ptr, ptr %dp
  %f64 = icmp eq ptr %d, %float64
  %fp = getelementptr i8, ptr %a, i64 ${FLAGS}
  %f = load i32, ptr %fp
  %set = and i32 %f, %wanted
  %all = icmp eq i32 %set, %wanted
  %ok = and i1 %f64, %all
  ret i1 %ok
no:
  ret i1 false
}
; Where a result goes, if the array has its shape and is apart from the inputs, else null; its end goes to end_at.
define internal ptr @place(ptr %a, ptr %spec, i1 %is_single, i64 %count, ptr %ins, ptr %sizes, i64 %arrays, ptr %ndarray, ptr %float64, ptr %end_at) nounwind alwaysinline {
entry:
  %ok = call i1 @is_array(ptr %a, ptr %ndarray, ptr %float64, i32 ${AND_WRITEABLE})
  br i1 %ok, label %shape, label %no
shape:
  %nd = load i64, ptr %spec
  %want = getelementptr i64, ptr %spec, i64 1
  %extra = select i1 %is_single, i64 0, i64 1
  %ndr = add i64 %nd, %extra
  %ndp = getelementptr i8, ptr %a, i64 ${NDIM}
  %n32 = load i32, ptr %ndp
  %n = zext i32 %n32 to i64
  %same_nd = icmp eq i64 %n, %ndr
  br i1 %same_nd, label %first, label %no
first:
  %shp = getelementptr i8, ptr %a, i64 ${SHAPE_AT}
  %sh = load ptr, ptr %shp
  br i1 %is_single, label %dims, label %rows
rows:
  %have_rows = load i64, ptr %sh
  %rows_ok = icmp eq i64 %have_rows, %count
  br i1 %rows_ok, label %dims, label %no
dims:
  %k = phi i64 [0, %first], [0, %rows], [%k2, %dim_ok]
  %bytes = phi i64 [8, %first], [8, %rows], [%bytes2, %dim_ok]
  %at_end = icmp sge i64 %k, %nd
  br i1 %at_end, label %range, label %dim
dim:
  %at = add i64 %k, %extra
  %hp = getelementptr i64, ptr %sh, i64 %at
  %have = load i64, ptr %hp
  %wp = getelementptr i64, ptr %want, i64 %k
  %wanted = load i64, ptr %wp
  %dim_same = icmp eq i64 %have, %wanted
  br i1 %dim_same, label %dim_ok, label %no
dim_ok:
  %bytes2 = mul i64 %bytes, %wanted
  %k2 = add i64 %k, 1
  br label %dims
range:
  %dp = getelementptr i8, ptr %a, i64 ${DATA}
  %data = load ptr, ptr %dp
  %lo = ptrtoint ptr %data to i64
  %length = mul i64 %bytes, %count
  %hi = add i64 %lo, %length
  store i64 %hi, ptr %end_at
  br label %overlap
overlap:
  %m = phi i64 [0, %range], [%m2, %apart]
  %mip = getelementptr ptr, ptr %ins, i64 %m
  %mi = load ptr, ptr %mip
  %mlo = ptrtoint ptr %mi to i64
  %msp = getelementptr i64, ptr %sizes, i64 %m
  %ms = load i64, ptr %msp
  %mb = mul i64 %ms, 8
  %mlen = mul i64 %mb, %count
  %mhi = add i64 %mlo, %mlen
  %before = icmp ule i64 %mhi, %lo
  %after = icmp uge i64 %mlo, %hi
  %clear = or i1 %before, %after
  br i1 %clear, label %apart, label %no
apart:
  %m2 = add i64 %m, 1
  %mmore = icmp slt i64 %m2, %arrays
  br i1 %mmore, label %overlap, label %yes
yes:
  ret ptr %data
no:
  ret ptr null
}
; Where a result goes, if nobody but the context holds the array: a view, a memoryview, a name would; else null.
define internal ptr @unheld(ptr %a, ptr %spec, ptr %ins, ptr %sizes, i64 %arrays, ptr %ndarray, ptr %float64, ptr %end_at) nounwind alwaysinline {
entry:
  %none = icmp eq ptr %a, null
  br i1 %none, label %no, label %counted
counted:
  %count = load i32, ptr %a
  %alone = icmp eq i32 %count, 1
  br i1 %alone, label %own, label %no
own:
  %bp = getelementptr i8, ptr %a, i64 ${BASE}
  %base = load ptr, ptr %bp
  %no_base = icmp eq ptr %base, null
  %wp = getelementptr i8, ptr %a, i64 ${WEAK}
  %weak = load ptr, ptr %wp
  %no_weak = icmp eq ptr %weak, null
  %free = and i1 %no_base, %no_weak
  br i1 %free, label %yes, label %no
yes:
  %data = call ptr @place(ptr %a, ptr %spec, i1 true, i64 1, ptr %ins, ptr %sizes, i64 %arrays, ptr %ndarray, ptr %float64, ptr %end_at)
  ret ptr %data
no:
  ret ptr null
}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
