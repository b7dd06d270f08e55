#include <stdio.h>
#include <time.h>

int main(void) {
	time_t now = time(NULL);
	fputs(ctime(&now), stdout);
	return 0;
}
