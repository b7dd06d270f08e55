#include <stdio.h>
#include <stdlib.h>

#include "sum.h"

int main(int argc, char **argv) {
	int values[100], count = 0;
	while (count < 100 && count + 1 < argc) {
		values[count] = atoi(argv[count + 1]);
		count++;
	}
	printf("%d\n", sum(values, count));
	return 0;
}
