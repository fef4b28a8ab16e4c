@a = constant [4 x i8] c"\00\01\FF\7F"
@b = constant [2 x i8] c"{}"
@c = constant [3 x i8] c"\22;\22"
@d = constant [5 x i8] c"%x @y"
@e = constant [0 x i8] c""
@f = constant { [2 x i8], ptr } { [2 x i8] c"\5C\22", ptr @a }
