c     sort: integer keys are ranked by counting, through buckets. What
c     bounds the inner loops are the sizes of the buckets.

      program sort
      include 'sort.inc'
      integer i, iteration, steps, fstatus
      double precision found(3), wanted(3), sum
      logical verified

      steps = max_iterations
      open (unit=2, file='inputsort.data', status='old',
     >     iostat=fstatus)
      if (fstatus .eq. 0) then
         read (2, *) steps
         close (2)
         if (steps .lt. 1 .or. steps .gt. max_iterations) stop 2
      end if
      do i = 1, test_array_size
         test_index(i) = mod(i*12347, total_keys)
      end do
      call create_seq(314159265_8, 1220703125_8)
      call rank(1)
      passed_verification = 0
      call timer_clear(1)
      call timer_start(1)
      do iteration = 1, steps
         call rank(iteration)
      end do
      call timer_stop(1)

      found(1) = 0.0d0
      do i = 1, test_array_size
         found(1) = found(1) + dble(i)*dble(partial_verify_vals(i))
      end do
      found(2) = 0.0d0
      do i = 0, max_key-1
         found(2) = found(2) + dble(mod(key_buff1(i), 1009))*dble(i+1)
      end do
      call full_verify
      found(3) = dble(passed_verification)
      wanted(1) = 0.0d0
      wanted(2) = 0.0d0
      wanted(3) = 0.0d0
      verified = .true.
      if (steps .eq. 10) then
         wanted(1) = 4.53110000000000d+05
         wanted(2) = 1.24959303200000d+09
         wanted(3) = 5.70000000000000d+01
      else if (steps .eq. 2) then
         wanted(1) = 4.53132000000000d+05
         wanted(2) = 1.24974441500000d+09
         wanted(3) = 1.70000000000000d+01
      else
         verified = .false.
      end if
      call compare(3, found, wanted, 1.0d-12, verified)
      sum = found(1) + found(2)
      call print_results('sort', num_keys, max_key, num_buckets, steps,
     >     sum, verified)
      if (.not. verified) stop 1
      end

c     Sums of four random numbers, so that the middle is fuller.
      subroutine create_seq(seed, a)
      include 'sort.inc'
      integer*8 seed, a, s
      double precision x, uniform
      integer i, k
      external uniform
      s = seed
      k = max_key/4
      do i = 0, num_keys-1
         x = uniform(s, a)
         x = x + uniform(s, a)
         x = x + uniform(s, a)
         x = x + uniform(s, a)
         key_array(i) = int(dble(k)*x)
      end do
      return
      end

      subroutine rank(iteration)
      include 'sort.inc'
      integer iteration, i, k, b, shift, m
      shift = max_key_log2 - num_buckets_log2
      key_array(iteration) = iteration
      key_array(iteration+max_iterations) = max_key - iteration
      do i = 1, test_array_size
         partial_verify_vals(i) = key_array(test_index(i))
      end do

      do i = 0, num_buckets-1
         bucket_size(i) = 0
      end do
      do i = 0, num_keys-1
         b = ishft(key_array(i), -shift)
         bucket_size(b) = bucket_size(b) + 1
      end do
      bucket_ptrs(0) = 0
      do i = 1, num_buckets-1
         bucket_ptrs(i) = bucket_ptrs(i-1) + bucket_size(i-1)
      end do
      do i = 0, num_keys-1
         k = key_array(i)
         b = ishft(k, -shift)
         key_buff2(bucket_ptrs(b)) = k
         bucket_ptrs(b) = bucket_ptrs(b) + 1
      end do

      do i = 0, max_key-1
         key_buff1(i) = 0
      end do
c     Now each pointer stands at the end of its bucket.
      do b = 0, num_buckets-1
         m = 0
         if (b .gt. 0) m = bucket_ptrs(b-1)
         do i = m, bucket_ptrs(b)-1
            key_buff1(key_buff2(i)) = key_buff1(key_buff2(i)) + 1
         end do
      end do
      do i = 1, max_key-1
         key_buff1(i) = key_buff1(i) + key_buff1(i-1)
      end do

      do i = 1, test_array_size
         k = partial_verify_vals(i)
         if (k .gt. 0 .and. k .le. num_keys-1) then
            partial_verify_vals(i) = key_buff1(k-1)
            passed_verification = passed_verification + 1
         end if
      end do
      return
      end

c     Puts every key to its place and counts those that are not in order.
      subroutine full_verify
      include 'sort.inc'
      integer i, j, k, at, gap, next
      do i = 0, num_keys-1
         k = key_buff2(i)
         key_buff1(k) = key_buff1(k) - 1
         key_array(key_buff1(k)) = k
      end do
      j = 0
      do i = 1, num_keys-1
         if (key_array(i-1) .gt. key_array(i)) j = j + 1
      end do
      if (j .ne. 0) then
         write (*, *) 'keys out of order:', j
      else
         passed_verification = passed_verification + 1
      end if

c     The same with another method: gaps that shrink by three.
      do i = 0, num_keys-1
         key_buff2(i) = mod(i*7919, num_keys)
      end do
      gap = 1
      do while (gap .lt. num_keys/9)
         gap = 3*gap + 1
      end do
      do while (gap .gt. 0)
         do i = gap, num_keys-1
            next = key_buff2(i)
            at = i
            do while (at .ge. gap)
               if (key_buff2(at-gap) .le. next) exit
               key_buff2(at) = key_buff2(at-gap)
               at = at - gap
            end do
            key_buff2(at) = next
         end do
         gap = gap / 3
      end do
      do i = 0, num_keys-1
         if (key_buff2(i) .ne. i) return
      end do
      passed_verification = passed_verification + 1
c     A search by halves for each test key.
      do i = 1, test_array_size
         j = 0
         k = num_keys - 1
         do while (j .lt. k)
            at = (j + k)/2
            if (key_buff2(at) .lt. test_index(i)) then
               j = at + 1
            else
               k = at
            end if
         end do
         if (j .eq. test_index(i)) then
            passed_verification = passed_verification + 1
         end if
      end do
      return
      end
