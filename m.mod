!mod$ v1 sum:dec1ac1445e83fb5
module m
integer(4)::n0
integer(4)::nx2
end
