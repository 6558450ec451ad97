// SPDX-License-Identifier: GPL-2.0-or-later
//
// A C++ program, built without frame pointers, that makes stacks of all kinds in an endless loop.
#include <algorithm>
#include <alloca.h>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iomanip>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

static volatile long sink;

struct Shape {
	virtual ~Shape() = default;
	virtual double area(int depth) const = 0;
};

struct Square : Shape {
	double side;
	explicit Square(double s) : side(s) {}
	__attribute__((noinline)) double area(int depth) const override
	{
		double sum = 0;

		for (int i = 0; i < 50; i++)
			sum += side * i;
		return depth ? sum + area(depth - 1) : sum;
	}
};

struct Pile : Shape {
	std::vector<std::unique_ptr<Shape>> shapes;
	__attribute__((noinline)) double area(int depth) const override
	{
		double sum = 0;

		for (auto &s : shapes)
			sum += s->area(depth);
		return sum;
	}
};

__attribute__((noinline)) static long thrower(int depth)
{
	std::string text = "depth " + std::to_string(depth);

	if (depth == 0)
		throw std::runtime_error(text);
	return thrower(depth - 1) + text.size();
}

__attribute__((noinline)) static long onstack(int n)
{
	char *room = (char *)alloca(n * 16 + 1);

	memset(room, n, n * 16);
	return room[n] + (n > 1 ? onstack(n - 1) : 0);
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void handler(int)
{
	std::vector<int> v(200);

	for (int i = 0; i < 200; i++)
		v[i] = i * 7919 % 211;
	std::sort(v.begin(), v.end());
	sink = sink + v[100];
}

static long strings()
{
	std::ostringstream out;
	std::map<std::string, int> sorted;
	std::unordered_map<std::string, int> hashed;

	for (int i = 0; i < 60; i++) {
		out << std::setw(5) << i << ' ' << i * 1.5 << ';';
		sorted[std::to_string(i * 31 % 17)]++;
		hashed["key" + std::to_string(i)]++;
	}
	return out.str().size() + sorted.size() + hashed.size();
}

static long matches()
{
	static const std::regex pattern("([a-z]+)=([0-9]+(\\.[0-9]*)?);");
	std::string text = "alpha=1;beta=2.5;gamma=300;delta=4.25;epsilon=x;zeta=6;";

	return std::distance(std::sregex_iterator(text.begin(), text.end(), pattern), std::sregex_iterator());
}

int main()
{
	std::vector<std::function<long()>> work;
	Pile pile;

	for (int i = 0; i < 5; i++)
		pile.shapes.push_back(std::make_unique<Square>(i));
	signal(SIGUSR1, handler);
	work.push_back([&] { return (long)pile.area(20); });
	work.push_back([] {
		try {
			return thrower(12);
		} catch (const std::exception &e) {
			return (long)strlen(e.what());
		}
	});
	work.push_back([] { return onstack(30); });
	work.push_back(strings);
	work.push_back(matches);
	work.push_back([] { raise(SIGUSR1); return 1L; });
	work.push_back([] {
		int values[300];

		for (int i = 0; i < 300; i++)
			values[i] = i * 7919 % 307;
		qsort(values, 300, sizeof(int), compare);
		return (long)values[0];
	});
	for (;;)
		for (auto &w : work)
			sink = sink + w();
}
