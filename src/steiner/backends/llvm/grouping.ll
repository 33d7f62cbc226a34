; Rows of words told apart, and items joined into groups: see steiner/backends/grouping.py.

declare void @llvm.prefetch.p0(ptr, i32, i32, i32)

; index[k] = number of row k among the distinct rows, in order of their first appearance, which is in first[]; the
; distinct rows themselves are copied to unique[].  An open table of row numbers (−1: free); −1 is returned once more
; than %most rows are distinct: the table is too small.  The time goes into waiting for memory, so 32 rows ahead
; the place in the table is fetched, and 16 ahead the row whose number stands there.
define i64 @number(ptr noalias %rows, i64 %count, i64 %width, ptr noalias %table, i64 %mask, i64 %most,
                   ptr noalias %index, ptr noalias %first, ptr noalias %unique) nounwind {
entry:
  %last = sub i64 %count, 1
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %row, label %done
row:
  %k = phi i64 [0, %entry], [%k1, %next]
  %found = phi i64 [0, %entry], [%found1, %next]
  %far = add i64 %k, 32
  %far_is_row = icmp slt i64 %far, %last
  %far_row = select i1 %far_is_row, i64 %far, i64 %last
  %far_slot = call i64 @slot(ptr %rows, i64 %far_row, i64 %width, i64 %mask)
  %far_sp = getelementptr i32, ptr %table, i64 %far_slot
  call void @llvm.prefetch.p0(ptr %far_sp, i32 1, i32 3, i32 1)
  %near = add i64 %k, 16
  %near_is_row = icmp slt i64 %near, %last
  %near_row = select i1 %near_is_row, i64 %near, i64 %last
  %near_slot = call i64 @slot(ptr %rows, i64 %near_row, i64 %width, i64 %mask)
  %near_sp = getelementptr i32, ptr %table, i64 %near_slot
  %near_id = load i32, ptr %near_sp
  %near_n = sext i32 %near_id to i64
  %near_at = mul i64 %near_n, %width
  %near_p = getelementptr i32, ptr %unique, i64 %near_at
  call void @llvm.prefetch.p0(ptr %near_p, i32 0, i32 3, i32 1)
  %at = mul i64 %k, %width
  %own = getelementptr i32, ptr %rows, i64 %at
  %home = call i64 @slot(ptr %rows, i64 %k, i64 %width, i64 %mask)
  br label %look
look:
  %raw = phi i64 [%home, %row], [%beyond, %other]
  %slot = and i64 %raw, %mask
  %sp = getelementptr i32, ptr %table, i64 %slot
  %id = load i32, ptr %sp
  %free = icmp slt i32 %id, 0
  br i1 %free, label %new, label %compare
compare:
  %n = zext i32 %id to i64
  %uat = mul i64 %n, %width
  %theirs = getelementptr i32, ptr %unique, i64 %uat
  br label %word
word:
  %c = phi i64 [0, %compare], [%c1, %same]
  %ap = getelementptr i32, ptr %own, i64 %c
  %bp = getelementptr i32, ptr %theirs, i64 %c
  %a = load i32, ptr %ap
  %b = load i32, ptr %bp
  %equal = icmp eq i32 %a, %b
  br i1 %equal, label %same, label %other
same:
  %c1 = add i64 %c, 1
  %left = icmp slt i64 %c1, %width
  br i1 %left, label %word, label %next
other:
  %beyond = add i64 %slot, 1
  br label %look
new:
  %full = icmp sge i64 %found, %most
  br i1 %full, label %crowded, label %insert
insert:
  %number = trunc i64 %found to i32
  store i32 %number, ptr %sp
  %fp = getelementptr i32, ptr %first, i64 %found
  %k32 = trunc i64 %k to i32
  store i32 %k32, ptr %fp
  %nat = mul i64 %found, %width
  %mine = getelementptr i32, ptr %unique, i64 %nat
  br label %copy
copy:
  %w = phi i64 [0, %insert], [%w1, %copy]
  %from = getelementptr i32, ptr %own, i64 %w
  %to = getelementptr i32, ptr %mine, i64 %w
  %word_ = load i32, ptr %from
  store i32 %word_, ptr %to
  %w1 = add i64 %w, 1
  %more = icmp slt i64 %w1, %width
  br i1 %more, label %copy, label %grow
grow:
  %grown = add i64 %found, 1
  br label %next
next:
  %its = phi i32 [%id, %same], [%number, %grow]
  %found1 = phi i64 [%found, %same], [%grown, %grow]
  %ip = getelementptr i32, ptr %index, i64 %k
  store i32 %its, ptr %ip
  %k1 = add i64 %k, 1
  %again = icmp slt i64 %k1, %count
  br i1 %again, label %row, label %done
done:
  %total = phi i64 [0, %entry], [%found1, %next]
  ret i64 %total
crowded:
  ret i64 -1
}

; Where a row's number is looked for first: its words, each multiplied by 2⁶⁴ / golden ratio and folded.
define internal i64 @slot(ptr %rows, i64 %k, i64 %width, i64 %mask) nounwind {
entry:
  %at = mul i64 %k, %width
  %own = getelementptr i32, ptr %rows, i64 %at
  br label %mix
mix:
  %j = phi i64 [0, %entry], [%j1, %mix]
  %hash = phi i64 [0, %entry], [%mixed, %mix]
  %wp = getelementptr i32, ptr %own, i64 %j
  %w = load i32, ptr %wp
  %wide = zext i32 %w to i64
  %with = xor i64 %hash, %wide
  %spread = mul i64 %with, -7046029254386353131
  %high = lshr i64 %spread, 32
  %mixed = xor i64 %spread, %high
  %j1 = add i64 %j, 1
  %more = icmp slt i64 %j1, %width
  br i1 %more, label %mix, label %done
done:
  %slot = and i64 %mixed, %mask
  ret i64 %slot
}

; Joins left[k] with right[k]; parent[] begins as 0, 1, 2 …, no item's parent is larger than itself, and in the end it
; is the smallest item of the group (union-find with path halving).
define void @join(ptr noalias %left, ptr noalias %right, i64 %count, ptr noalias %parent, i64 %items) nounwind {
entry:
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %pair, label %settle
pair:
  %k = phi i64 [0, %entry], [%k1, %next]
  %lp = getelementptr i32, ptr %left, i64 %k
  %rp = getelementptr i32, ptr %right, i64 %k
  %l = load i32, ptr %lp
  %r = load i32, ptr %rp
  %a = call i32 @root(ptr %parent, i32 %l)
  %b = call i32 @root(ptr %parent, i32 %r)
  %less = icmp ult i32 %a, %b
  %low = select i1 %less, i32 %a, i32 %b
  %high = select i1 %less, i32 %b, i32 %a
  %h64 = zext i32 %high to i64
  %hp = getelementptr i32, ptr %parent, i64 %h64
  store i32 %low, ptr %hp
  br label %next
next:
  %k1 = add i64 %k, 1
  %more = icmp slt i64 %k1, %count
  br i1 %more, label %pair, label %settle
settle:
  %any = icmp sgt i64 %items, 0
  br i1 %any, label %item, label %done
item:
  %i = phi i64 [0, %settle], [%i1, %item]
  %pp = getelementptr i32, ptr %parent, i64 %i
  %p = load i32, ptr %pp
  %p64 = zext i32 %p to i64
  %gp = getelementptr i32, ptr %parent, i64 %p64
  %g = load i32, ptr %gp
  store i32 %g, ptr %pp
  %i1 = add i64 %i, 1
  %on = icmp slt i64 %i1, %items
  br i1 %on, label %item, label %done
done:
  ret void
}

define internal i32 @root(ptr %parent, i32 %start) nounwind alwaysinline {
entry:
  br label %climb
climb:
  %x = phi i32 [%start, %entry], [%g, %higher]
  %x64 = zext i32 %x to i64
  %xp = getelementptr i32, ptr %parent, i64 %x64
  %p = load i32, ptr %xp
  %top = icmp eq i32 %p, %x
  br i1 %top, label %done, label %higher
higher:
  %p64 = zext i32 %p to i64
  %pp = getelementptr i32, ptr %parent, i64 %p64
  %g = load i32, ptr %pp
  store i32 %g, ptr %xp
  br label %climb
done:
  ret i32 %x
}
