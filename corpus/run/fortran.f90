module mm
 integer :: tab(16); integer, allocatable :: al(:); common /blk/ cb(8), ic
 real(8) :: cb; integer :: ic
contains
 integer function hlp(x); integer :: x; hlp = ieor(x*7, ishft(x,-5)); end function
 subroutine f(n,a,res); integer :: n,a(*),res,i,k
  res=0
  do i=1,n
   do k=1,16; res = res*3+tab(k)*i; end do
   a(mod(i,8)+1)=res
   res = res+hlp(i)
  end do
 end subroutine
 subroutine g(n,x); integer::n,i,k; real(8)::x
  x=0
  do i=1,n
   do k=1,8; x=x*0.5d0+cb(k)*i; end do
   if (mod(i,1000000)==0) call chg(i)
   ic=ic+hlp(i)
  end do
 end subroutine
 recursive subroutine chg(i); integer::i; cb(mod(i,7)+1)=cb(3)+1; end subroutine
 subroutine h(n,r); integer::n,i,k,r
  r=0
  do i=1,n
   if (mod(i,1000)==0) then; deallocate(al); allocate(al(16+mod(i,3))); al=i; end if
   do k=1,size(al); r=r*3+al(k); end do
   al(mod(i,16)+1)=r+hlp(i)
  end do
 end subroutine
 subroutine st(n,s,r); integer::n,i,k,r; character(len=*)::s; character(len=:),allocatable::t
  r=0; t=s
  do i=1,n
   do k=1,len(s); r=r*3+ichar(s(k:k)); end do
   if(mod(i,100)==0) t=t(2:)//s(1:1)
   r=r+ichar(t(1:1))
  end do
 end subroutine
end module
program p
 use mm
 integer::r,a(16),i; real(8)::x; complex(8)::z; integer(16)::q
 do i=1,16; tab(i)=i*5; end do
 allocate(al(16)); al=3; cb=1.5d0; ic=0
 call f(5000000,a,r); print *,r
 call f(5000,a(3:),r); print *,r
 call f(5000000,a,r); print *,r
 call g(10000000,x); print *,x,ic
 call h(5000000,r); print *,r
 call st(3000000,'hello world',r); print *,r
 z=(0,0); q=1
 do i=1,5000000; z=z*z*0.1+cmplx(0.3,0.1d0,8); q=q*3_16+hlp(i); end do
 print *,z,q
 !$omp parallel do reduction(+:r) private(x)
 do i=1,100; call loc(i,r); end do
 print *,r
 if (r/=0) stop 7
contains
 subroutine loc(i,r); integer::i,r,j,k,s
  s=i
  do j=1,200000; do k=1,16; s=s*3+tab(k); end do; s=s+hlp(j); end do
  r=r+s
 end subroutine
end program
