#include <stdio.h>

int sum(const int *values, int n);

int main(void)
{
	int values[] = {1, 2, 3};
	int unused;

	printf("%d\n", sum(values, counnt));
	return 0;
}
