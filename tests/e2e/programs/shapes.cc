// SPDX-License-Identifier: GPL-2.0-or-later
//
// shapes: features of C++ that C does not have: namespaces, methods, overloads,
// templates, references, inheritance, constructors.
#include <array>
#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#define PROBED __attribute__((noinline, noclone, noipa))

namespace geo
{
struct Named {
	const char *name;
	int id;
};

class Shape : public Named
{
      public:
	PROBED Shape(const char *name, long sides);
	virtual ~Shape() {}
	PROBED long scale(long by);
	PROBED long scale(const char *by, int times);
	virtual long area(int unit) const;
	PROBED static long sides_of(const Shape &shape, int &count);

      protected:
	long sides;
};

Shape::Shape(const char *n, long s) : sides(s)
{
	name = n;
	id = 7;
}

long Shape::scale(long by)
{
	return sides * by;
}

long Shape::scale(const char *by, int times)
{
	return by[0] - '0' + times + sides;
}

PROBED long Shape::area(int unit) const
{
	return sides * unit + id;
}

long Shape::sides_of(const Shape &shape, int &count)
{
	return shape.sides + count++;
}

template <class T> struct Box {
	T value;
	PROBED T get(T more)
	{
		return value + more;
	}
};

template <class T> PROBED T larger(T a, T b)
{
	return a > b ? a : b;
}
}

struct Drawing : public geo::Named {
	std::string title;
	std::vector<int> sizes;
	float scale;
};

PROBED double draw(const std::string &s, std::vector<int> &v, const std::vector<std::string> *names, Drawing *d, std::string_view part, double x, float y)
{
	asm volatile("" ::: "memory");
	return x + y + v.size();
}

PROBED long double weigh(const std::map<std::string, int> &stock, std::set<int> *numbers, long double factor)
{
	asm volatile("" ::: "memory");
	return factor * stock.size();
}

enum class Colour : signed char { Red = -1, Green = 3 };

struct Paint {
	Colour colour;
	std::optional<int> coats;
};

PROBED int pack(const std::array<int, 3> &numbers, const std::pair<int, std::string> &two, std::optional<std::string> *some,
		const std::list<int> &line, const std::tuple<int, std::string, double> &three, Colour colour, Paint *paint)
{
	asm volatile("" ::: "memory");
	return numbers[0] + line.size();
}

using Amount = std::variant<std::monostate, int, std::string, Paint>;

PROBED int stack(const std::deque<int> &boxes, std::deque<std::string> *names, const std::forward_list<std::string> &after, const Amount &amount, Amount *other)
{
	asm volatile("" ::: "memory");
	return boxes.size();
}

/* Some of it is not there: no memory is at the addresses of page 0. */
PROBED int torn(const std::vector<std::vector<int>> &lists, const std::vector<int> &none, Paint *paint, const char *text)
{
	asm volatile("" ::: "memory");
	return lists.size();
}

/* The compiler puts what throws and what catches elsewhere, as it is rarely run. */
PROBED int risky(int n)
{
	std::string text = "odd";

	if (n % 2)
		throw std::runtime_error(text + std::to_string(n));
	return n + text.size();
}

PROBED int careful(int n)
{
	try {
		return risky(n);
	} catch (const std::exception &e) {
		return -n;
	}
}

PROBED void fail(int n)
{
	throw n;
}

static void exceptions()
{
	for (int i = 4; i < 6; i++)
		careful(i);
	try {
		fail(6);
	} catch (int) {
	}
}

static void packs()
{
	std::optional<std::string> some("some");
	Paint paint{ Colour::Green, {} };

	pack({ 1, 2, 3 }, { 4, "five" }, &some, { 6, 7, 8, 9, 10, 11 }, { 12, "thirteen", 14.5 }, Colour::Red, &paint);
	some.reset();
	paint = { (Colour)9, 2 };
	pack({}, {}, &some, {}, {}, Colour::Green, &paint);

	std::vector<std::vector<int>> lists{ { 1, 2 }, { 3, 4 }, { 5, 6 } };
	long *middle = (long *)&lists[1], kept[2] = { middle[0], middle[1] };

	middle[0] = 64;
	middle[1] = 72;
	torn(lists, *(std::vector<int> *)80, (Paint *)96, (char *)112);
	middle[0] = kept[0];
	middle[1] = kept[1];
}

static void stacks()
{
	std::deque<int> boxes;
	std::deque<std::string> names{ "left", "right" };
	Amount amount, other = Paint{ Colour::Green, 4 };

	for (int i = 0; i < 515; i++) { /* the first five lie in two blocks of 128 */
		boxes.push_back(i);
		if (i >= 5)
			boxes.pop_front();
	}
	stack(boxes, &names, { "one", "two" }, amount, &other);
	names.clear();
	amount = 16;
	other = "seventeen";
	stack({}, &names, {}, amount, &other);
	long broken = 64; /* a list whose first node is not there */
	stack({ 1 }, (std::deque<std::string> *)80, *(std::forward_list<std::string> *)&broken, amount, (Amount *)96);
}

static void drawings()
{
	std::vector<int> v{1, -2, 3, 4, 5, 6, 7};
	std::vector<std::string> names{"one", "two"};
	Drawing d;

	d.name = "d";
	d.id = 3;
	d.title = "a title that does not fit into the string itself";
	d.sizes = {9, 8};
	d.scale = 0.5;
	draw("short", v, &names, &d, "part", 3.25, -1.5f);
	v.clear();
	draw("", v, &names, &d, "", 1e10, 0);
	std::set<int> numbers{6, 4, 5, 1, 3, 2};
	weigh({{"pears", 2}, {"apples", 1}}, &numbers, 2.5L);
}

/* Variables of namespaces and classes, some of one name. */
int count = 1;

namespace geo
{
int count = 2;

struct Limits {
	static long count;
	static thread_local int own;
	template <class T> struct Of {
		static inline T most = 30;
	};
};

long Limits::count = 4;
thread_local int Limits::own = 5;

namespace
{
long unnamed = 6;
}
}

namespace
{
PROBED int hidden(int n)
{
	count += 10;
	geo::count += 20;
	geo::Limits::own++;
	geo::Limits::Of<int>::most++;
	geo::unnamed--;
	return n + 1;
}
}

int main()
{
	drawings();
	packs();
	stacks();
	exceptions();
	geo::Shape s("square", 4);
	geo::Box<int> i{ 40 };
	geo::Box<char> c{ 'a' };
	int count = 3;
	long sum = s.scale(5) + s.scale("2", 6) + static_cast<geo::Named *>(&s)->id + s.area(10) +
		   geo::Shape::sides_of(s, count) + i.get(2) + c.get(1) + geo::larger(5, 9) + geo::larger(2L, 1L) + hidden(8);

	return sum != 253;
}
