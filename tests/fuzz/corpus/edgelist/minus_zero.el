 long-t[ 0\oken-of-many-bytes b 1e-3 

b	c 0.5

% c
# c
a b
1 2  -0
-1