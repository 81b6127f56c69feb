select * from a
where b
