# c
% c
a b
b	c 0.5

 long-token-of-many-bytes b 1e-3 
1 2 3 4
x
a b -1
