; The native function behind robot methods: METH_FASTCALL | METH_KEYWORDS.
;
; Checks that the arguments are plain float64 arrays of the right lengths, one configuration each or a
; batch of equally many rows, and out= likewise; then calls the kernel.  Everything else goes to the
; Python function of the context.  $${...} are filled in by fastcall.py.

define ptr @call(ptr %self, ptr %args, i64 %nargs, ptr %names) nounwind {
entry:
  %ins = alloca [${MOST_ARRAYS} x ptr]
  %strides = alloca [${MOST_ARRAYS} x i64]
  %outs = alloca [${MOST_OUTPUTS} x ptr]
  %dims = alloca [${MOST_DIMENSIONS_AND_ONE} x i64]
  %cp = getelementptr i8, ptr %self, i64 ${DATA}
  %ctx = load ptr, ptr %cp
${FIELDS}
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
  br i1 %b3, label %results, label %slowly
results:
  %one_result = icmp eq i64 %outputs, 1
  br i1 %one_result, label %result, label %several
several:
  %is_plain = icmp eq ptr %out, null
  br i1 %is_plain, label %pack, label %slowly
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
  %kernel_s = select i1 %is_single, ptr %single, ptr %batch
  call void %kernel_s(ptr %ins, ptr %strides, ptr %outs, i64 0, i64 %count, i64 0)
  ret ptr %tuple
result:
  store i64 %count, ptr %dims
  %d1 = getelementptr i64, ptr %dims, i64 1
  %nd_at = getelementptr i8, ptr %ctx, i64 ${SHAPE}
  %dimensions = load i64, ptr %nd_at
  %shape_at = getelementptr i8, ptr %nd_at, i64 8
  %nb = mul i64 %dimensions, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %d1, ptr %shape_at, i64 %nb, i1 0)
  %dim_ptr = select i1 %is_single, ptr %d1, ptr %dims
  %extra = select i1 %is_single, i64 0, i64 1
  %ndr64 = add i64 %dimensions, %extra
  %ndr = trunc i64 %ndr64 to i32
  %is_new = icmp eq ptr %out, null
  br i1 %is_new, label %fresh, label %check_out
fresh:
  %made = call ptr %new_array(ptr %ndarray, i32 %ndr, ptr %dim_ptr, i32 ${NPY_DOUBLE}, ptr null, ptr null, i32 0, i32 0, ptr null)
  %failed = icmp eq ptr %made, null
  br i1 %failed, label %fail, label %compute
fail:
  ret ptr null
check_out:
  %ok_out = call i1 @is_array(ptr %out, ptr %ndarray, ptr %float64, i32 ${AND_WRITEABLE})
  br i1 %ok_out, label %out_shape, label %slowly
out_shape:
  %ondp = getelementptr i8, ptr %out, i64 ${NDIM}
  %ond = load i32, ptr %ondp
  %nd_ok = icmp eq i32 %ond, %ndr
  %oshp = getelementptr i8, ptr %out, i64 ${SHAPE_AT}
  %osh = load ptr, ptr %oshp
  %odp = getelementptr i8, ptr %out, i64 ${DATA}
  %od = load ptr, ptr %odp
  %olo = ptrtoint ptr %od to i64
  %olen = mul i64 %row_bytes, %count
  %ohi = add i64 %olo, %olen
  br i1 %nd_ok, label %dim, label %slowly
dim:
  %k = phi i64 [0, %out_shape], [%k2, %dim_ok]
  %at_end = icmp sge i64 %k, %ndr64
  br i1 %at_end, label %overlap, label %dim_check
dim_check:
  %dka = getelementptr i64, ptr %osh, i64 %k
  %dk = load i64, ptr %dka
  %wka = getelementptr i64, ptr %dim_ptr, i64 %k
  %wk = load i64, ptr %wka
  %dim_same = icmp eq i64 %dk, %wk
  br i1 %dim_same, label %dim_ok, label %slowly
dim_ok:
  %k2 = add i64 %k, 1
  br label %dim
overlap:
  %m = phi i64 [0, %dim], [%m2, %apart]
  %mip = getelementptr ptr, ptr %ins, i64 %m
  %mi = load ptr, ptr %mip
  %mlo = ptrtoint ptr %mi to i64
  %mso = mul i64 %m, 8
  %mso2 = add i64 %mso, ${SIZES}
  %msp = getelementptr i8, ptr %ctx, i64 %mso2
  %ms = load i64, ptr %msp
  %mb = mul i64 %ms, 8
  %mlen = mul i64 %mb, %count
  %mhi = add i64 %mlo, %mlen
  %before = icmp ule i64 %mhi, %olo
  %after = icmp uge i64 %mlo, %ohi
  %clear = or i1 %before, %after
  br i1 %clear, label %apart, label %slowly
apart:
  %m2 = add i64 %m, 1
  %mmore = icmp slt i64 %m2, %arrays
  br i1 %mmore, label %overlap, label %take_out
take_out:
  call void %incref(ptr %out)
  br label %compute
compute:
  %result_object = phi ptr [%made, %fresh], [%out, %take_out]
  %rdp = getelementptr i8, ptr %result_object, i64 ${DATA}
  %rd = load ptr, ptr %rdp
  store ptr %rd, ptr %outs
  %kernel = select i1 %is_single, ptr %single, ptr %batch
  call void %kernel(ptr %ins, ptr %strides, ptr %outs, i64 0, i64 %count, i64 0)
  ret ptr %result_object
slowly:
  %answer = call ptr %vectorcall(ptr %slow, ptr %args, i64 %nargs, ptr %names)
  ret ptr %answer
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
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
